import { createFigureCounter } from '../../../../rules/statistics/figures';
import { listRelevantSessions, splitInstances } from '../../../../rules/instances/split';
import { drawStructure } from '../../../../rules/journey/structure';
import type { DataFigures } from '../../../../schemas/dataset/data-figures';
import type { Instance } from '../../../../schemas/dataset/instance';
import type { PersonaRecord } from '../../../../schemas/dataset/record';
import { buildExampleRecord, buildInstance, buildSession } from '../examples';

const SEED = 1;
const COUNT = 12;

/** Builds personas of 12 dialogues each, which end with the first answer. */
function buildRecords(
  change: (record: PersonaRecord) => PersonaRecord = (record) => record,
): PersonaRecord[] {
  return Array.from({ length: COUNT }, (_, at) =>
    change(buildExampleRecord(drawStructure({ nSessions: 13, seed: SEED, personaId: at + 1 }), at + 1)),
  );
}

function listInstances(records: readonly PersonaRecord[]): Instance[] {
  return records.flatMap((record) => splitInstances(record, SEED).map(({ instance }) => instance));
}

function compute(
  records: readonly PersonaRecord[],
  instances: readonly Instance[],
  maxTurns?: number,
): DataFigures {
  const counter = createFigureCounter({ withRecords: records.length > 0, maxTurns });
  for (const record of records) counter.addRecord(record);
  for (const instance of instances) counter.addInstance(instance);
  return counter.end((text) => text.length);
}

/** Gives dialogues these user's messages after the request, in these sessions (default: all). */
function withReplies(replies: readonly string[], satisfied = true, sessions?: readonly number[]) {
  return (record: PersonaRecord): PersonaRecord => ({
    ...record,
    interactions: record.interactions.map((interaction) =>
      sessions?.includes(interaction.session_id) === false
        ? interaction
        : {
            ...interaction,
            is_satisfied: satisfied,
            chat: [
              ...interaction.chat.slice(0, 2),
              ...replies.flatMap((content, at) => [
                { role: 'user' as const, content },
                ...(at < replies.length - 1 || !satisfied
                  ? [{ role: 'assistant' as const, content: 'Here.' }]
                  : []),
              ]),
            ],
          },
    ),
  });
}

test('of the dialogues without a satisfied user, those with the most messages ended at the turn limit', () => {
  const stalled = buildRecords(withReplies(['Less.', 'Less.'], false, [1]));
  const atLimit = buildRecords(withReplies(['Less.', 'Less.', 'Less.'], false, [1]));
  expect(compute(stalled, [], 4).endedAtTurnLimit).toMatchObject({ count: 0, total: 12 * COUNT });
  expect(compute(atLimit, [], 4).endedAtTurnLimit).toMatchObject({ count: COUNT, total: 12 * COUNT });
  const satisfied = buildRecords(withReplies(['Less.', 'Less.', 'Good.'], true, [1]));
  expect(compute(satisfied, [], 4).endedAtTurnLimit).toMatchObject({ count: 0 });
  expect(compute(atLimit, []).endedAtTurnLimit).toBeUndefined();
});

test('dialogues are counted once, from records as from the instances alone', () => {
  const records = buildRecords(withReplies(['Less of it.', 'Good.'], true, [1, 2, 3]));
  const fromRecords = compute(records, listInstances(records));
  expect(fromRecords.endedAtFirstAnswer).toMatchObject({ count: 9 * COUNT, total: 12 * COUNT });
  expect(fromRecords.unsatisfiedDialogues).toMatchObject({ count: 0, total: 12 * COUNT });
  expect(fromRecords.indirectness).toMatchObject({ count: 15 * COUNT, total: 15 * COUNT });
  expect(compute([], listInstances(records)).endedAtFirstAnswer).toMatchObject({ total: 12 * COUNT });
});

test('a dialogue without a satisfied user counts as such, and not as one that ended with the first answer', () => {
  const records = buildRecords(withReplies(['Less of it.'], false, [2]));
  for (const figures of [compute(records, []), compute([], listInstances(records))]) {
    expect(figures.unsatisfiedDialogues).toMatchObject({ count: COUNT, total: 12 * COUNT });
    expect(figures.endedAtFirstAnswer).toMatchObject({ count: 11 * COUNT });
  }
});

test('a message that quotes its preference is not indirect', () => {
  const records = buildRecords((record) => ({
    ...record,
    interactions: record.interactions.map((one, at) => ({
      ...one,
      chat: one.chat.map((message, turn) =>
        at === 0 && turn === 2 ? { ...message, content: `Please: ${one.preference}` } : message,
      ),
    })),
  }));
  expect(compute(records, []).indirectness).toMatchObject({ count: 11 * COUNT, total: 12 * COUNT });
});

test('leakage: requests that have half of the words of their preference, and how many on the mean', () => {
  const [first, ...others] = listInstances(buildRecords());
  if (first === undefined) throw new Error('No instance.');
  const leaking = { ...first, current_request: `Do it. ${first.current_contextual_preference}` };
  const { leakage, preferenceInRequest } = compute([], [leaking, ...others]);
  const before = compute([], [first, ...others]);
  expect(leakage?.count).toBe((before.leakage?.count ?? 0) + 1);
  expect(leakage?.total).toBe(3 * COUNT);
  expect(preferenceInRequest?.maximum).toBe(1);
  expect(preferenceInRequest?.mean).toBeGreaterThan(before.preferenceInRequest?.mean ?? 1);
});

/** Builds a session about a letter in which the user says this after the first answer. */
const buildLetterSession = (preference: string, reply: string) =>
  buildSession(
    'the Symphony Board',
    preference,
    'Help with the letter.',
    'Formal honorifics, contemporary culture, classical terminology.',
    reply,
  );

test('coverage: an item that the feedback of one relevant dialogue touches on, in other forms of its words', () => {
  const instance = buildInstance({
    current_request: 'Write the letter.',
    current_context_factor: 'the Symphony Board',
    current_contextual_preference: 'p',
    current_checklist: [
      'Does the letter to the board use classical terminology?',
      'Are formal honorifics used in it?',
      'Does it avoid contemporary culture?',
    ],
    prior_interactions: [
      buildLetterSession('p', 'Could it have more terms from classic music, or classical ones?'),
      buildLetterSession('p', 'The tone could be more formal.'),
      buildLetterSession('other', 'Leave contemporary culture out.'),
    ],
  });
  expect(compute([], [instance]).coverage).toMatchObject({ count: 2, total: 3 });
});

test('selection: the items of the relevant sessions that the user selected, known ones only', () => {
  const [record] = buildRecords();
  if (record === undefined) throw new Error('No record.');
  const counter = createFigureCounter({ withRecords: true });
  // Factor A has four sessions before the last, its partner two; each checklist has one item.
  const [first, ...others] = record.interactions.map(({ session_id: session }) => ({
    session,
    items: [1, 7],
  }));
  counter.addSelections({ record, selections: others });
  const relevant = first !== undefined && listRelevantSessions(record).includes(first.session);
  expect(counter.end(() => 1).selection).toMatchObject({ count: relevant ? 5 : 6, total: 6 });
});

test('the relevant sessions of changing instances lie later than those of the others', () => {
  const { relevantPositions: positions } = compute([], listInstances(buildRecords()));
  expect(positions.consistent).toMatchObject({ instances: COUNT });
  expect(positions.changing?.mean).toBeGreaterThan(positions.consistent?.mean ?? Infinity);
  expect(positions.changing?.mean).toBeGreaterThan(positions.contrastive?.mean ?? Infinity);
});

test('personas: names that others have, descriptions nearly the same, and how evenly types are used', () => {
  const story = Array.from({ length: 60 }, (_, at) => `word${at}`).join(' ');
  const descriptions = [
    'Amina Diallo, 34 (she/her), bakes.',
    'AMINA DIALLO, 60, paints.',
    `Jo Berg, 20, sails. ${story}`,
    `Ida Holm, 20, sails. ${story}`,
    'Bakes without a name.',
  ];
  const records = buildRecords().map((record, at) => ({
    ...record,
    persona: { ...record.persona, description: descriptions[at] ?? `No name ${at} at all.` },
  }));
  const { repeatedNames, nearDuplicatePersonas, entropy } = compute(records, []);
  expect(nearDuplicatePersonas).toMatchObject({ count: 1, total: COUNT });
  expect(repeatedNames).toMatchObject({ count: 2, total: 4 });
  expect(entropy?.factorTypes).toBeGreaterThan(0.5);
  const oneType = records.map((record) => ({
    ...record,
    context_factors: record.context_factors.map((factor) => ({
      ...factor,
      factor_type: 'Event/Time' as const,
    })),
  }));
  expect(compute(oneType, []).entropy).toEqual({ ...entropy, factorTypes: 0 });
});

test('there is nothing where there is nothing to count', () => {
  expect(compute([], [])).toEqual({ relevantPositions: {}, guesses: {} });
});
