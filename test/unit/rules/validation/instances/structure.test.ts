import { assert, integer, property } from 'fast-check';
import { createRandom } from '../../../../../rules/sampling/random';
import type { Instance, PriorInteraction } from '../../../../../schemas/dataset/instance';
import { INSTANCE_TYPES, type InstanceType } from '../../../../../schemas/dataset/instance-type';
import type { ValidationRule } from '../../../../../schemas/dataset/validation';
import { CHANGED } from '../../examples';
import { buildSoundInstances } from '../../../publishing/sound-data';
import { change, findRow, listInstanceFindings, requirePresent } from '../broken';

/** Breaks the row of its type; `find` returns the persona's other rows. `A` is Workshop 8, `B` Workshop 7. */
type Break = (row: Instance, find: Find) => void;
type Find = (type: InstanceType) => Instance;

const A = 'Workshop 8';
const B = 'Workshop 7';

const priorsWith = ({ prior_interactions: prior }: Instance, factor: string) =>
  prior.filter(({ context_factor: name }) => name === factor);

const isFree = ({ context_factor: name }: PriorInteraction) => name !== A && name !== B;

const freeOf = ({ prior_interactions: prior }: Instance) => prior.filter(isFree);

/** Finds sessions of the consistent row that the others omit. */
const leftOut = (find: Find) => {
  const others = JSON.stringify(find('changing').prior_interactions.map((one) => one.dialogue));
  return freeOf(find('consistent')).filter(({ dialogue }) => !others.includes(JSON.stringify(dialogue)));
};

/** Finds a row's free session that all rows of its persona share. */
const sharedOf = (row: Instance, find: Find, index: number) => {
  const shared = JSON.stringify(freeOf(find('changing'))[index]?.dialogue);
  return row.prior_interactions.find(({ dialogue }) => JSON.stringify(dialogue) === shared);
};

const replace = (row: Instance, old: PriorInteraction | undefined, by: PriorInteraction | undefined) => {
  const at = row.prior_interactions.indexOf(requirePresent(old));
  row.prior_interactions.splice(at, 1, structuredClone(requirePresent(by)));
};

const remove = (row: Instance, old: PriorInteraction | undefined) => {
  row.prior_interactions.splice(row.prior_interactions.indexOf(requirePresent(old)), 1);
};

const edit = (session: PriorInteraction | undefined) => {
  requirePresent(requirePresent(session).dialogue[1]).content += ' And one thing more.';
};

type Case = readonly [name: string, rule: ValidationRule, type: InstanceType, how: Break];

const listCases = (rule: ValidationRule, type: InstanceType, breaks: Record<string, Break>): Case[] =>
  Object.entries(breaks).map(([name, how]) => [`${name} in ${type}`, rule, type, how]);

const RHYME = { current_contextual_preference: 'Answers must rhyme.' };

/** Defects, each found in the row of its type. */
const BREAKS: readonly Case[] = [
  ...listCases('prior-count', 'consistent', {
    'a session too few': (row, find) => remove(row, leftOut(find)[0]),
    'a session too few that all have': (row, find) => {
      const left = leftOut(find);
      const shared = freeOf(row).find((one) => !left.includes(one));
      remove(row, shared);
    },
    'a current session too few': (row) => remove(row, priorsWith(row, A)[1]),
  }),
  ...listCases('prior-count', 'contrastive', {
    'a contrastive session too few': (row) => remove(row, priorsWith(row, B)[0]),
  }),
  ...listCases('prior-count', 'changing', {
    'a changed session too few': (row) => remove(row, priorsWith(row, A)[3]),
    'a session too many': (row, find) =>
      row.prior_interactions.unshift(structuredClone(requirePresent(leftOut(find)[0]))),
  }),
  ...INSTANCE_TYPES.flatMap((type) => [
    ...listCases('same-request', type, {
      'another request': (row) => (row.current_request += ' Soon.'),
      'another current factor': (row) => change(row, { current_context_factor: B }),
    }),
    ...listCases('current-factor-sessions', type, {
      'a shared current session of another factor': (row) =>
        change(priorsWith(row, A)[1], { context_factor: 'Workshop 2' }),
      'a shared current session with another preference': (row) =>
        change(priorsWith(row, A)[0], { contextual_preference: CHANGED }),
      'a shared session that became one of the current factor': (row, find) =>
        change(sharedOf(row, find, 0), { context_factor: A }),
    }),
    ...listCases('shared-sessions', type, {
      'a shared session of another factor': (row, find) =>
        change(sharedOf(row, find, 1), { context_factor: 'Elsewhere' }),
      'another dialogue of a shared session': (row, find) => edit(sharedOf(row, find, 2)),
      'another dialogue of a shared current session': (row) => edit(priorsWith(row, A)[0]),
    }),
  ]),
  ...listCases('shared-sessions', 'consistent', {
    'shared sessions in another order': (row) =>
      change(row, { prior_interactions: row.prior_interactions.toReversed() }),
  }),
  ...(['consistent', 'contrastive'] as const).flatMap((type) =>
    listCases('original-preference', type, {
      'the changed preference': (row, find) => {
        const { current_checklist } = find('changing');
        change(row, { current_contextual_preference: CHANGED, current_checklist });
      },
      "a preference of nobody's": (row) => change(row, RHYME),
      'the changed checklist': (row, find) =>
        change(row, { current_checklist: find('changing').current_checklist }),
    }),
  ),
  ...listCases('original-preference', 'consistent', {
    'another checklist': (row) => change(row, { current_checklist: ['Does it rhyme?'] }),
    'another checklist in the contrastive row, which may be right,': (_, find) =>
      change(find('contrastive'), { current_checklist: ['Does it rhyme?'] }),
  }),
  ...listCases('changed-preference', 'changing', {
    // Occurs once in the published CUPID.
    'the original preference': (row, find) => {
      const { current_contextual_preference } = find('consistent');
      change(row, { current_contextual_preference });
    },
    'the original preference throughout': (row, find) => {
      const original = find('consistent').current_contextual_preference;
      row.current_contextual_preference = original;
      for (const session of priorsWith(row, A)) session.contextual_preference = original;
    },
    "a preference of nobody's": (row) => change(row, RHYME),
    'the original checklist': (row, find) =>
      change(row, { current_checklist: find('consistent').current_checklist }),
  }),
  ...listCases('current-factor-sessions', 'changing', {
    'a changed session with the original preference': (row, find) => {
      const original = find('consistent').current_contextual_preference;
      change(priorsWith(row, A)[2], { contextual_preference: original });
    },
    'changed sessions before the original ones': (row) =>
      change(row, { prior_interactions: row.prior_interactions.toReversed() }),
    'no changed sessions': (row, find) => {
      const [one, other] = leftOut(find);
      replace(row, priorsWith(row, A)[3], one);
      replace(row, priorsWith(row, A)[2], other);
    },
    'a changed session of another factor': (row) =>
      change(priorsWith(row, A)[2], { context_factor: 'Workshop 2' }),
  }),
  ...listCases('current-factor-sessions', 'consistent', {
    'no current sessions': (row, find) => {
      row.prior_interactions = row.prior_interactions.filter((session) => session.context_factor !== A);
      const further = structuredClone(leftOut(find));
      for (const session of further) edit(session);
      row.prior_interactions.push(...further);
    },
    'a changed session': (row, find) => replace(row, leftOut(find)[0], priorsWith(find('changing'), A)[3]),
  }),
  ...listCases('repeated-session', 'consistent', {
    'a free session that stands twice, in the place of another,': (row, find) => {
      const [one, other] = leftOut(find);
      replace(row, one, other);
    },
  }),
  ...listCases('repeated-session', 'contrastive', {
    'a contrastive session that stands twice': (row) => {
      const [one, other] = priorsWith(row, B);
      replace(row, one, other);
    },
  }),
  ...listCases('repeated-session', 'changing', {
    'a dialogue that another session has': (row) => {
      const [one, other] = priorsWith(row, A).slice(2);
      change(one, { dialogue: structuredClone(requirePresent(other).dialogue) });
    },
  }),
  ...listCases('contrastive-present', 'contrastive', {
    'no contrastive sessions, and as many': (row, find) => {
      const [one, other] = leftOut(find);
      replace(row, priorsWith(row, B)[0], one);
      replace(row, priorsWith(row, B)[0], other);
    },
    'one contrastive session, and as many': (row, find) =>
      replace(row, priorsWith(row, B)[0], leftOut(find)[0]),
    'contrastive sessions of two factors': (row) =>
      change(priorsWith(row, B)[0], { context_factor: 'Workshop 9' }),
    'contrastive sessions with the current preference': (row) => {
      for (const session of priorsWith(row, B))
        session.contextual_preference = row.current_contextual_preference;
    },
    'contrastive sessions with two preferences': (row) =>
      change(priorsWith(row, B)[1], { contextual_preference: 'Answers must rhyme.' }),
  }),
  ...(['consistent', 'changing'] as const).flatMap((type) =>
    listCases('contrastive-absent', type, {
      'a contrastive session': (row, find) =>
        replace(row, freeOf(row)[0], priorsWith(find('contrastive'), B)[0]),
    }),
  ),
  ...listCases('contrastive-absent', 'changing', {
    'both contrastive sessions': (row, find) => {
      const [one, other] = priorsWith(find('contrastive'), B);
      const [free, another] = freeOf(row);
      replace(row, free, one);
      replace(row, another, other);
    },
  }),
];

test('the instances of sound records break no rule, whatever was drawn and wherever the rows stand', () => {
  assert(
    property(
      integer({ min: 1, max: 6 }),
      integer({ min: 9, max: 16 }),
      integer(),
      (personas, nSessions, shuffle) => {
        const rows = createRandom(shuffle).shuffle(buildSoundInstances(personas, nSessions));
        expect(listInstanceFindings(rows)).toEqual([]);
      },
    ),
    { numRuns: 60 },
  );
});

const PERSONAS = Array.from({ length: 24 }, (_, index) => index + 1);

test.each(BREAKS)('%s is found as %s, in the row that is wrong and nowhere else', (_, rule, type, how) => {
  const rows = buildSoundInstances(PERSONAS.length);
  for (const persona of PERSONAS) how(findRow(rows, persona, type), (other) => findRow(rows, persona, other));
  const found = listInstanceFindings(rows);
  expect(found.map((one) => [one.rule, one.row, one.persona_id, one.instance_type])).toEqual(
    PERSONAS.map((persona) => [
      rule,
      3 * (persona - 1) + INSTANCE_TYPES.indexOf(type) + 1,
      `${persona}+baker`,
      type,
    ]),
  );
  for (const { message } of found) {
    expect(message).toMatch(/^(expected|found) .*\.$/);
    // A row number in the message would be ambiguous in data of several files.
    expect(message).not.toMatch(/\brow \d/);
  }
});

test.each(INSTANCE_TYPES)('a persona that lacks its %s row is reported once, at its first row', (type) => {
  const rows = buildSoundInstances(3);
  rows.splice(rows.indexOf(findRow(rows, 2, type)), 1);
  expect(listInstanceFindings(rows)).toEqual([
    {
      rule: 'one-of-each-type',
      row: 4,
      persona_id: '2+baker',
      instance_type: type === 'consistent' ? 'contrastive' : 'consistent',
      field: 'instance_type',
      message: `expected one consistent, one contrastive, one changing of this persona, found no ${type}. Add what is missing, or leave the persona out.`,
    },
  ]);
});

test('a second row of the same key changes nothing: that keys are unique is another rule', () => {
  const rows = buildSoundInstances(2);
  const again = structuredClone(findRow(rows, 1, 'changing'));
  again.current_request = 'Something else?';
  expect(listInstanceFindings([...rows.slice(0, 3), again, ...rows.slice(3), again])).toEqual([]);
  expect(listInstanceFindings([requirePresent(rows[0]), requirePresent(rows[0]), ...rows.slice(1)])).toEqual(
    [],
  );
});

test('where counts are equally common the usual 8 is right, and most rows are right otherwise', () => {
  const short = buildSoundInstances(1);
  requirePresent(short[0]).prior_interactions.pop();
  const mixed = listInstanceFindings([requirePresent(short[0]), requirePresent(short[1])]);
  expect(mixed.find(({ rule }) => rule === 'prior-count')?.row).toBe(1);
  const rows = [...buildSoundInstances(2, 10), ...buildSoundInstances(3).slice(6)];
  expect(listInstanceFindings(rows)).toMatchObject([{ rule: 'prior-count', row: 7 }]);
});

test('where the number is known, most rows do not decide', () => {
  const seven = buildSoundInstances(2, 12);
  expect(listInstanceFindings(seven)).toEqual([]);
  expect(listInstanceFindings(seven, 7)).toEqual([]);
  const also = 'prior_interactions of the';
  expect(listInstanceFindings(seven, 8)).toEqual(
    [1, 4].map((row) =>
      expect.objectContaining({
        rule: 'prior-count',
        row,
        message: `expected 8, which the length of the journey gives, found 7. Give the row all of its sessions and no others. The rule is also broken in ${also} contrastive instance, ${also} changing instance.`,
      }),
    ),
  );
});

test('the published spelling variants are no breaks: spaces around a text and a final full stop', () => {
  const rows = buildSoundInstances(1);
  for (const row of rows) {
    row.current_contextual_preference = row.current_contextual_preference.replace(/\.$/, '');
    row.current_context_factor += ' ';
  }
  expect(listInstanceFindings(rows)).toEqual([]);
});

test('instances that have nothing to do with each other have findings, and crash no check', () => {
  const rows = buildSoundInstances(3).filter((_, index) => index % 4 === 0);
  for (const row of rows)
    Object.assign(row, { persona_id: 'p', prior_interactions: freeOf(row).slice(0, 1) });
  const found = listInstanceFindings(rows).map(({ rule }) => rule);
  expect(found).toContain('contrastive-present');
  expect(found).toHaveLength(new Set(found).size);
});
