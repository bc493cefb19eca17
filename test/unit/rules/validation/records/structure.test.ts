import type { RecordForm } from '../../../../../schemas/dataset/record';
import type { ValidationRule } from '../../../../../schemas/dataset/validation';
import { CHANGED } from '../../examples';
import { buildSoundRecord, buildSoundRecords } from '../../../publishing/sound-data';
import { change, listRecordFindings, requirePresent } from '../broken';

/** Breaks a record; `A` is Workshop 8, `B` Workshop 7. */
type Break = (record: RecordForm) => void;

const A = 'Workshop 8';
const B = 'Workshop 7';

const sessionsWith = (record: RecordForm, factor: string) =>
  record.sessions.filter((session) => session.context_factor === factor);

const free = (record: RecordForm) =>
  requirePresent(record.sessions.find(({ context_factor: name }) => name !== A && name !== B));

const factorOf = (record: RecordForm, name: string) =>
  requirePresent(record.context_factors.find(({ factor }) => factor === name));

/** Turns a session into one of another factor in every respect, including the dialogue. */
const turn = (record: RecordForm, session: RecordForm['sessions'][number], factor: string) => {
  const { preference, task_types: tasks } = factorOf(record, factor);
  Object.assign(session, { context_factor: factor, task_type: requirePresent(tasks[0]) });
  carry(record, session, requirePresent(record.sessions.find((other) => other.preference === preference)));
};

/** Gives a session the preference of another. */
const carry = (
  record: RecordForm,
  session: RecordForm['sessions'][number],
  { preference, checklist }: RecordForm['sessions'][number],
) => {
  const interaction = requirePresent(record.interactions.find(({ session_id: id }) => id === session.id));
  for (const carrier of [session, interaction]) Object.assign(carrier, { preference, checklist });
};

type Case = readonly [name: string, rule: ValidationRule, field: RegExp, how: Break];

/** @param field where it is found, as far as the draw leaves that open: `sessions[*].id` */
const listCases = (rule: ValidationRule, field: string, breaks: Record<string, Break>): Case[] => {
  const pattern = new RegExp(`^${field.replace(/[.[\]]/g, '\\$&').replaceAll('*', '\\d+')}$`);
  return Object.entries(breaks).map(([name, how]) => [name, rule, pattern, how]);
};

const openingOf = (record: RecordForm, index: number) => requirePresent(record.interactions[index]).chat[0];

const BREAKS: readonly Case[] = [
  ...listCases('persona-id', 'persona_id', {
    'a persona that is not named after its occupation': ({ persona }) =>
      change(persona, { occupation: 'Pilot' }),
  }),
  ...listCases('contrastive-pair', 'context_factors', {
    'a partner that is not named': (record) => change(factorOf(record, A), { related_factor: 'N/A' }),
    'a partner outside the pair': (record) => change(factorOf(record, 'Workshop 1'), { related_factor: B }),
    'two factors of one name': ({ context_factors: factors }) =>
      factors.splice(1, 0, structuredClone(requirePresent(factors[0]))),
  }),
  ...listCases('journey-structure', 'sessions[4].id', {
    'an id out of order': ({ sessions }) => change(sessions[4], { id: 50 }),
  }),
  ...listCases('journey-structure', 'sessions[2].id', {
    'ids that change places': ({ sessions }) => {
      change(sessions[2], { id: 4 });
      change(sessions[3], { id: 3 });
    },
  }),
  ...listCases('session-factor', 'sessions[12].context_factor', {
    'a last session of another factor': ({ sessions }) =>
      change(sessions[12], { context_factor: 'Workshop 1' }),
  }),
  ...listCases('journey-structure', 'sessions', {
    'a last session of the partner': ({ sessions }) => change(sessions[12], { context_factor: B }),
    'a current session too few': (record) =>
      turn(record, requirePresent(sessionsWith(record, A)[0]), free(record).context_factor),
    'a changed session too few': (record) =>
      turn(record, requirePresent(sessionsWith(record, A)[3]), free(record).context_factor),
    'a current session too many': (record) => {
      const third = requirePresent(sessionsWith(record, A)[2]);
      const session = free(record);
      turn(record, session, A);
      if (session.id > third.id) carry(record, session, requirePresent(record.sessions[12]));
    },
    'a contrastive session too few': (record) =>
      turn(record, requirePresent(sessionsWith(record, B)[0]), free(record).context_factor),
    'a contrastive session too many': (record) => turn(record, free(record), B),
  }),
  ...listCases('session-factor', 'sessions[*].preference', {
    'a changed preference that comes too early': (record) =>
      change(sessionsWith(record, A)[1], { preference: CHANGED }),
    'a changed preference that comes too late': (record) =>
      change(sessionsWith(record, A)[2], { preference: factorOf(record, A).preference }),
    'a last session with the original preference': (record) =>
      change(record.sessions[12], { preference: factorOf(record, A).preference }),
    'a preference that never changes': (record) => {
      const { preference } = factorOf(record, A);
      const { checklist } = requirePresent(sessionsWith(record, A)[0]);
      for (const carrier of [...record.sessions, ...record.interactions]) {
        if (carrier.preference === CHANGED) Object.assign(carrier, { preference, checklist });
      }
    },
  }),
  ...listCases('journey-structure', 'sessions[11].context_factor', {
    'the current factor right before the last session': (record) => {
      const [before, fourth] = [
        requirePresent(record.sessions[11]),
        requirePresent(sessionsWith(record, A)[3]),
      ];
      turn(record, fourth, before.context_factor);
      turn(record, before, A);
      carry(record, before, requirePresent(record.sessions[12]));
    },
  }),
  ...listCases('session-factor', 'sessions[*].context_factor', {
    'a factor that is not in the list': (record) => change(free(record), { context_factor: 'Elsewhere' }),
    'a current factor spelled otherwise': (record) =>
      change(sessionsWith(record, A)[1], { context_factor: `${A}.` }),
    'a factor that is renamed in the list': (record) =>
      change(factorOf(record, free(record).context_factor), { factor: 'Elsewhere' }),
  }),
  ...listCases('session-factor', 'sessions[*].preference', {
    'a preference of another factor': (record) =>
      change(free(record), { preference: factorOf(record, B).preference }),
    'a partner with another preference': (record) =>
      change(sessionsWith(record, B)[1], { preference: 'Answers must rhyme.' }),
    'a changed preference spelled otherwise': (record) =>
      change(sessionsWith(record, A)[2], { preference: CHANGED.replace(/\.$/, '') }),
    'another preference in the list': (record) =>
      change(factorOf(record, A), { preference: 'Answers must rhyme.' }),
  }),
  ...listCases('session-factor', 'sessions[*].task_type', {
    "a task type that is not the factor's": (record) => {
      const session = free(record);
      const { task_types: tasks } = factorOf(record, session.context_factor);
      const others = ['Planning', 'Reasoning', 'Brainstorming'].filter((task) => !tasks.includes(task));
      session.task_type = requirePresent(others[0]);
    },
  }),
  ...listCases('session-checklist', 'sessions[12].checklist', {
    'a checklist of five': ({ sessions }) => change(sessions[12], { checklist: ['a', 'b', 'c', 'd', 'e'] }),
  }),
  ...listCases('session-checklist', 'sessions[*].checklist', {
    'a checklist of five, the same everywhere': (record) => {
      const { preference, checklist } = record.sessions.reduce((rare, session) =>
        sessionsWith(record, session.context_factor).length < sessionsWith(record, rare.context_factor).length
          ? session
          : rare,
      );
      for (const carrier of [...record.sessions, ...record.interactions]) {
        if (carrier.preference === preference) carrier.checklist = [...checklist, 'b', 'c', 'd', 'e'];
      }
    },
    'another checklist of the same preference': (record) =>
      change(sessionsWith(record, B)[0], { checklist: ['Does it rhyme?'] }),
  }),
  ...listCases('session-checklist', 'interactions[0].checklist', {
    'another checklist of the dialogue': ({ interactions }) => change(interactions[0], { checklist: [] }),
  }),
  ...listCases('one-dialogue-a-session', 'interactions[0].preference', {
    'another preference of the dialogue': ({ interactions }) =>
      change(interactions[0], { preference: 'Answers must rhyme.' }),
  }),
  ...listCases('one-dialogue-a-session', 'interactions', {
    'a session without a dialogue': ({ interactions }) => interactions.splice(5, 1),
    'a session with two dialogues': ({ interactions }) =>
      interactions.push(structuredClone(requirePresent(interactions[5]))),
    'a dialogue of a session that is not there': ({ interactions }) =>
      change(interactions[5], { session_id: 50 }),
    'a dialogue of the last session': ({ interactions }) =>
      interactions.push({ ...structuredClone(requirePresent(interactions[0])), session_id: 13 }),
  }),
  ...listCases('opening-message', 'interactions[3].chat[0].content', {
    'another opening message': (record) => {
      requirePresent(openingOf(record, 3)).content += ' Please.';
    },
    'an opening message with blanks around it': (record) => {
      requirePresent(openingOf(record, 3)).content += '\n';
    },
  }),
  ...listCases('opening-message', 'interactions[1].chat[0].content', {
    'a resource that is not in its place': (record) =>
      change(openingOf(record, 1), { content: requirePresent(record.sessions[1]).request_with_factor }),
  }),
  ...listCases('opening-message', 'sessions[12].request_with_factor', {
    'a resource without a place': ({ sessions }) => change(sessions[12], { resource: 'A note.' }),
  }),
  ...listCases('opening-message', 'sessions[1].request_with_factor', {
    'a place without a resource': ({ sessions }) => change(sessions[1], { resource: null }),
  }),
  ...listCases('satisfied-ending', 'interactions[7].is_satisfied', {
    'a satisfied user who does not have the last word': ({ interactions }) =>
      requirePresent(interactions[7]).chat.pop(),
    'an unsatisfied user who has the last word': ({ interactions }) =>
      change(interactions[7], { is_satisfied: false }),
  }),
];

test.each([9, 13, 16])('sound records of %i sessions break no rule, whatever was drawn', (nSessions) => {
  expect(listRecordFindings(buildSoundRecords(60, nSessions))).toEqual([]);
});

const PERSONAS = Array.from({ length: 24 }, (_, index) => index + 1);

test.each(BREAKS)('%s is found as %s, once', (_, rule, field, how) => {
  const records = PERSONAS.map((persona) => structuredClone<RecordForm>(buildSoundRecord(persona)));
  for (const record of records) how(record);
  const found = listRecordFindings(records);
  expect(found.map((one) => [one.row, one.persona_id, one.rule])).toEqual(
    PERSONAS.map((persona) => [persona, `${persona}+baker`, rule]),
  );
  for (const { field: broken, message } of found) {
    expect(broken).toMatch(field);
    expect(message).toMatch(/\.$/);
  }
});

test('two personas of one number are found at the second', () => {
  const records = [1, 2, 3].map((persona) => structuredClone<RecordForm>(buildSoundRecord(persona)));
  Object.assign(requirePresent(records[2]), { persona_id: '1+pilot' });
  Object.assign(requirePresent(records[2]).persona, { id: 1, occupation: 'Pilot' });
  expect(listRecordFindings(records)).toMatchObject([{ rule: 'persona-id', row: 3, field: 'persona.id' }]);
});

test('a journey of another length than most is found', () => {
  const records = [buildSoundRecord(1), buildSoundRecord(2, 12), buildSoundRecord(3)];
  expect(listRecordFindings(records).map(({ rule, row, field }) => [rule, row, field])).toEqual([
    ['journey-structure', 2, 'sessions'],
  ]);
});

test('what the reference program keeps of the last session, a request without an answer, is no dialogue', () => {
  const record: RecordForm = structuredClone(buildSoundRecord(1));
  const last = requirePresent(record.sessions[12]);
  record.interactions.push({
    session_id: 13,
    preference: last.preference,
    checklist: last.checklist,
    chat: [
      { role: 'user', content: last.request_with_factor },
      { role: 'assistant', content: null },
    ],
    is_satisfied: false,
  });
  expect(listRecordFindings([record])).toEqual([]);
});

test('a record of almost nothing has findings, and crashes no check', () => {
  const record: RecordForm = structuredClone(buildSoundRecord(1));
  record.context_factors = record.context_factors.slice(0, 1);
  record.sessions = record.sessions.slice(0, 1);
  record.interactions = [{ ...requirePresent(record.interactions[0]), session_id: -3, chat: [] }];
  expect(listRecordFindings([record]).map(({ rule }) => rule)).toEqual([
    'contrastive-pair',
    'session-factor',
    'one-dialogue-a-session',
  ]);
});
