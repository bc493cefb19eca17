import { assert, integer, property } from 'fast-check';
import { createRandom } from '../../../../../rules/sampling/random';
import type { Instance, PriorInteraction } from '../../../../../schemas/dataset/instance';
import { INSTANCE_TYPES, type InstanceType } from '../../../../../schemas/dataset/instance-type';
import type { ValidationRule } from '../../../../../schemas/dataset/validation';
import { CHANGED } from '../../examples';
import { listInstanceFindings, findRow, buildSoundInstances, requirePresent } from '../broken';

/** Breaks something in a data set of four personas; `A` is Workshop 8, `B` Workshop 7. */
type Break = (rows: Instance[], persona: number) => void;

const A = 'Workshop 8';
const B = 'Workshop 7';

const priorsWith = ({ prior_interactions: prior }: Instance, factor: string) =>
  prior.filter(({ context_factor: name }) => name === factor);

const isFree = ({ context_factor: name }: PriorInteraction) => name !== A && name !== B;

const freeOf = ({ prior_interactions: prior }: Instance) => prior.filter(isFree);

/** Sessions of the consistent row that the others leave out. */
const leftOut = (rows: Instance[], persona: number) => {
  const others = JSON.stringify(
    findRow(rows, persona, 'changing').prior_interactions.map((one) => one.dialogue),
  );
  return freeOf(findRow(rows, persona, 'consistent')).filter(
    ({ dialogue }) => !others.includes(JSON.stringify(dialogue)),
  );
};

const replace = (row: Instance, old: PriorInteraction | undefined, by: PriorInteraction | undefined) => {
  row.prior_interactions.splice(
    row.prior_interactions.indexOf(requirePresent(old)),
    1,
    structuredClone(requirePresent(by)),
  );
};

const remove = (row: Instance, old: PriorInteraction | undefined) => {
  row.prior_interactions.splice(row.prior_interactions.indexOf(requirePresent(old)), 1);
};

const edit = (session: PriorInteraction | undefined) => {
  requirePresent(requirePresent(session).dialogue[1]).content += ' And one thing more.';
};

/** Each is found at the row of its type. */
type Case = readonly [name: string, rule: ValidationRule, type: InstanceType, how: Break];

const BREAKS: readonly Case[] = [
  [
    'a session too few',
    'prior-count',
    'consistent',
    (rows, persona) => {
      const row = findRow(rows, persona, 'consistent');
      remove(row, leftOut(rows, persona)[0]);
    },
  ],
  [
    'a session too few that all have',
    'prior-count',
    'consistent',
    (rows, persona) => {
      const row = findRow(rows, persona, 'consistent');
      remove(
        row,
        freeOf(row).find((one) => !leftOut(rows, persona).includes(one)),
      );
    },
  ],
  [
    'a current session too few',
    'prior-count',
    'consistent',
    (rows, persona) => {
      const row = findRow(rows, persona, 'consistent');
      remove(row, priorsWith(row, A)[1]);
    },
  ],
  [
    'a contrastive session too few',
    'prior-count',
    'contrastive',
    (rows, persona) => {
      const row = findRow(rows, persona, 'contrastive');
      remove(row, priorsWith(row, B)[0]);
    },
  ],
  [
    'a changed session too few',
    'prior-count',
    'changing',
    (rows, persona) => {
      const row = findRow(rows, persona, 'changing');
      remove(row, priorsWith(row, A)[3]);
    },
  ],
  [
    'a session too many',
    'prior-count',
    'changing',
    (rows, persona) => {
      findRow(rows, persona, 'changing').prior_interactions.unshift(
        structuredClone(requirePresent(leftOut(rows, persona)[0])),
      );
    },
  ],
  ...INSTANCE_TYPES.flatMap((type): Case[] => [
    [
      `another request in ${type}`,
      'same-request',
      type,
      (rows, persona) => {
        findRow(rows, persona, type).current_request += ' Soon.';
      },
    ],
    [
      `another current factor in ${type}`,
      'same-request',
      type,
      (rows, persona) => {
        findRow(rows, persona, type).current_context_factor = B;
      },
    ],
    [
      `a shared current session of another factor in ${type}`,
      'current-factor-sessions',
      type,
      (rows, persona) => {
        requirePresent(priorsWith(findRow(rows, persona, type), A)[1]).context_factor = 'Workshop 2';
      },
    ],
    [
      `a shared current session with another preference in ${type}`,
      'current-factor-sessions',
      type,
      (rows, persona) => {
        requirePresent(priorsWith(findRow(rows, persona, type), A)[0]).contextual_preference = CHANGED;
      },
    ],
    [
      `a shared session that became one of the current factor in ${type}`,
      'current-factor-sessions',
      type,
      (rows, persona) => {
        const shared = freeOf(findRow(rows, persona, 'changing'))[0];
        const same = findRow(rows, persona, type).prior_interactions.find(
          ({ dialogue }) => JSON.stringify(dialogue) === JSON.stringify(shared?.dialogue),
        );
        requirePresent(same).context_factor = A;
      },
    ],
    [
      `a shared session of another factor in ${type}`,
      'shared-sessions',
      type,
      (rows, persona) => {
        const shared = freeOf(findRow(rows, persona, 'changing'))[1];
        const same = findRow(rows, persona, type).prior_interactions.find(
          ({ dialogue }) => JSON.stringify(dialogue) === JSON.stringify(shared?.dialogue),
        );
        requirePresent(same).context_factor = 'Elsewhere';
      },
    ],
    [
      `another dialogue of a shared session in ${type}`,
      'shared-sessions',
      type,
      (rows, persona) => {
        const shared = freeOf(findRow(rows, persona, 'changing'))[2];
        edit(
          findRow(rows, persona, type).prior_interactions.find(
            ({ dialogue }) => JSON.stringify(dialogue) === JSON.stringify(shared?.dialogue),
          ),
        );
      },
    ],
    [
      `another dialogue of a shared current session in ${type}`,
      'shared-sessions',
      type,
      (rows, persona) => {
        edit(priorsWith(findRow(rows, persona, type), A)[0]);
      },
    ],
  ]),
  [
    'shared sessions in another order',
    'shared-sessions',
    'consistent',
    (rows, persona) => {
      findRow(rows, persona, 'consistent').prior_interactions.reverse();
    },
  ],
  ...(['consistent', 'contrastive'] as const).flatMap((type): Case[] => [
    [
      `the changed preference in ${type}`,
      'original-preference',
      type,
      (rows, persona) => {
        const row = findRow(rows, persona, type);
        row.current_contextual_preference = CHANGED;
        row.current_checklist = findRow(rows, persona, 'changing').current_checklist;
      },
    ],
    [
      `a preference of nobody's in ${type}`,
      'original-preference',
      type,
      (rows, persona) => {
        findRow(rows, persona, type).current_contextual_preference = 'Answers must rhyme.';
      },
    ],
    [
      `the changed checklist in ${type}`,
      'original-preference',
      type,
      (rows, persona) => {
        findRow(rows, persona, type).current_checklist = findRow(rows, persona, 'changing').current_checklist;
      },
    ],
    [
      `another checklist in ${type}`,
      'original-preference',
      type,
      (rows, persona) => {
        findRow(rows, persona, type).current_checklist = ['Does it rhyme?'];
      },
    ],
  ]),
  // As the published CUPID has it once.
  [
    'the original preference in changing',
    'changed-preference',
    'changing',
    (rows, persona) => {
      findRow(rows, persona, 'changing').current_contextual_preference = findRow(
        rows,
        persona,
        'consistent',
      ).current_contextual_preference;
    },
  ],
  [
    'the original preference throughout changing',
    'changed-preference',
    'changing',
    (rows, persona) => {
      const row = findRow(rows, persona, 'changing');
      const original = findRow(rows, persona, 'consistent').current_contextual_preference;
      row.current_contextual_preference = original;
      for (const session of priorsWith(row, A)) session.contextual_preference = original;
    },
  ],
  [
    "a preference of nobody's in changing",
    'changed-preference',
    'changing',
    (rows, persona) => {
      findRow(rows, persona, 'changing').current_contextual_preference = 'Answers must rhyme.';
    },
  ],
  [
    'the original checklist in changing',
    'changed-preference',
    'changing',
    (rows, persona) => {
      findRow(rows, persona, 'changing').current_checklist = findRow(
        rows,
        persona,
        'consistent',
      ).current_checklist;
    },
  ],
  [
    'a changed session with the original preference',
    'current-factor-sessions',
    'changing',
    (rows, persona) => {
      requirePresent(priorsWith(findRow(rows, persona, 'changing'), A)[2]).contextual_preference = findRow(
        rows,
        persona,
        'consistent',
      ).current_contextual_preference;
    },
  ],
  [
    'changed sessions before the original ones',
    'current-factor-sessions',
    'changing',
    (rows, persona) => {
      findRow(rows, persona, 'changing').prior_interactions.reverse();
    },
  ],
  [
    'no changed sessions',
    'current-factor-sessions',
    'changing',
    (rows, persona) => {
      const row = findRow(rows, persona, 'changing');
      const [one, other] = leftOut(rows, persona);
      replace(row, priorsWith(row, A)[3], one);
      replace(row, priorsWith(row, A)[2], other);
    },
  ],
  [
    'no current sessions',
    'current-factor-sessions',
    'consistent',
    (rows, persona) => {
      const row = findRow(rows, persona, 'consistent');
      row.prior_interactions = row.prior_interactions.filter((session) => session.context_factor !== A);
      const further = structuredClone(leftOut(rows, persona));
      for (const session of further) edit(session);
      row.prior_interactions.push(...further);
    },
  ],
  [
    'a free session that stands twice, in the place of another',
    'repeated-session',
    'consistent',
    (rows, persona) => {
      const row = findRow(rows, persona, 'consistent');
      const [one, other] = leftOut(rows, persona);
      replace(row, one, other);
    },
  ],
  [
    'a contrastive session that stands twice',
    'repeated-session',
    'contrastive',
    (rows, persona) => {
      const row = findRow(rows, persona, 'contrastive');
      const [one, other] = priorsWith(row, B);
      replace(row, one, other);
    },
  ],
  [
    'a dialogue that another session has',
    'repeated-session',
    'changing',
    (rows, persona) => {
      const [one, other] = priorsWith(findRow(rows, persona, 'changing'), A).slice(2);
      requirePresent(one).dialogue = structuredClone(requirePresent(other).dialogue);
    },
  ],
  [
    'a changed session of another factor',
    'current-factor-sessions',
    'changing',
    (rows, persona) => {
      requirePresent(priorsWith(findRow(rows, persona, 'changing'), A)[2]).context_factor = 'Workshop 2';
    },
  ],
  [
    'a changed session in consistent',
    'current-factor-sessions',
    'consistent',
    (rows, persona) => {
      replace(
        findRow(rows, persona, 'consistent'),
        leftOut(rows, persona)[0],
        priorsWith(findRow(rows, persona, 'changing'), A)[3],
      );
    },
  ],
  [
    'no contrastive sessions, and as many',
    'contrastive-present',
    'contrastive',
    (rows, persona) => {
      const row = findRow(rows, persona, 'contrastive');
      const [one, other] = leftOut(rows, persona);
      replace(row, priorsWith(row, B)[0], one);
      replace(row, priorsWith(row, B)[0], other);
    },
  ],
  [
    'one contrastive session, and as many',
    'contrastive-present',
    'contrastive',
    (rows, persona) => {
      const row = findRow(rows, persona, 'contrastive');
      replace(row, priorsWith(row, B)[0], leftOut(rows, persona)[0]);
    },
  ],
  [
    'contrastive sessions of two factors',
    'contrastive-present',
    'contrastive',
    (rows, persona) => {
      requirePresent(priorsWith(findRow(rows, persona, 'contrastive'), B)[0]).context_factor = 'Workshop 9';
    },
  ],
  [
    'contrastive sessions with the current preference',
    'contrastive-present',
    'contrastive',
    (rows, persona) => {
      const row = findRow(rows, persona, 'contrastive');
      for (const session of priorsWith(row, B))
        session.contextual_preference = row.current_contextual_preference;
    },
  ],
  [
    'contrastive sessions with two preferences',
    'contrastive-present',
    'contrastive',
    (rows, persona) => {
      requirePresent(priorsWith(findRow(rows, persona, 'contrastive'), B)[1]).contextual_preference =
        'Answers must rhyme.';
    },
  ],
  ...(['consistent', 'changing'] as const).flatMap((type): Case[] => [
    [
      `a contrastive session in ${type}`,
      'contrastive-absent',
      type,
      (rows, persona) => {
        const row = findRow(rows, persona, type);
        replace(row, freeOf(row)[0], priorsWith(findRow(rows, persona, 'contrastive'), B)[0]);
      },
    ],
  ]),
  [
    'both contrastive sessions in changing',
    'contrastive-absent',
    'changing',
    (rows, persona) => {
      const row = findRow(rows, persona, 'changing');
      const [one, other] = priorsWith(findRow(rows, persona, 'contrastive'), B);
      const [free, another] = freeOf(row);
      replace(row, free, one);
      replace(row, another, other);
    },
  ],
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
  for (const persona of PERSONAS) how(rows, persona);
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
    // Of several files, only the file's own number would find it.
    expect(message).not.toMatch(/\brow \d/);
  }
});

test('every rule of the instances is broken by some test', () => {
  expect(new Set(BREAKS.map(([, rule]) => rule))).toEqual(
    new Set([
      'prior-count',
      'same-request',
      'original-preference',
      'changed-preference',
      'current-factor-sessions',
      'contrastive-present',
      'contrastive-absent',
      'repeated-session',
      'shared-sessions',
    ]),
  );
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
  expect(listInstanceFindings(rows).map(({ rule, row }) => [rule, row])).toEqual([
    ['prior-count', 7],
    ['prior-count', 8],
    ['prior-count', 9],
  ]);
});

test('where the number is known, most rows do not decide', () => {
  const seven = buildSoundInstances(2, 12);
  expect(listInstanceFindings(seven)).toEqual([]);
  expect(listInstanceFindings(seven, 7)).toEqual([]);
  expect(listInstanceFindings(seven, 8)).toEqual(
    seven.map((_, index) =>
      expect.objectContaining({
        rule: 'prior-count',
        row: index + 1,
        message: expect.stringContaining('expected 8, which the length of the journey gives, found 7.'),
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
