import { createStatisticsCounter } from '../../../../rules/statistics/statistics';
import { countTokens } from '../../../../rules/statistics/tokens';
import type { RecordForm } from '../../../../schemas/dataset/record';
import { buildNumbered, recordRow } from '../../data/tables/rows';

const SHORT = 'short';
const LONG = 'a good deal longer than that';

function dialogue(opening: string, messages: number) {
  return buildNumbered(messages, (turn) => ({
    role: turn % 2 === 0 ? 'user' : 'assistant',
    content: turn === 0 ? opening : 'and so on',
  }));
}

function tokensOf(opening: string, messages: number): number {
  return countTokens(opening) + (messages - 1) * countTokens('and so on');
}

function session(id: number, preference: string, checklist: string[]) {
  return {
    id,
    context_factor: 'f',
    preference,
    task_type: 'Planning',
    story: '',
    request_with_factor_and_preference: '',
    request_with_factor: '',
    checklist,
  };
}

function interaction(id: number, preference: string, messages: number, satisfied: boolean) {
  return {
    session_id: id,
    preference,
    checklist: [],
    chat: dialogue(`request ${id}`, messages),
    is_satisfied: satisfied,
  };
}

/** Builds a record whose sessions 1 and 2 have one preference, 3 another, each with a dialogue. */
function record(persona: string): RecordForm {
  const base = recordRow(0);
  return {
    ...base,
    persona_id: persona,
    context_factors: ['Tone', 'Tone', 'Format'].map((type) => ({
      factor_type: type === 'Tone' ? 'Event/Time' : 'Person/Group',
      background: '',
      factor: '',
      task_types: ['Learning'],
      preference_type: type,
      preference: '',
      related_factor: 'N/A',
    })),
    sessions: [session(1, SHORT, ['a', 'b']), session(2, SHORT, ['a', 'b']), session(3, LONG, ['c'])],
    interactions: [
      interaction(1, SHORT, 3, true),
      interaction(2, SHORT, 5, true),
      interaction(3, LONG, 6, false),
    ],
  };
}

/** Builds the instance of a persona's record with the prior dialogues of these sessions. */
function instance({ persona_id: persona, interactions }: RecordForm, sessions: readonly number[]) {
  return {
    persona_id: persona,
    current_contextual_preference: SHORT,
    current_checklist: ['a', 'b'],
    prior_interactions: interactions
      .filter(({ session_id: id }) => sessions.includes(id))
      .map(({ preference, chat }) => ({ contextual_preference: preference, dialogue: chat })),
  };
}

const DIALOGUES = [tokensOf('request 1', 3), tokensOf('request 2', 5), tokensOf('request 3', 6)] as const;
const SUM = DIALOGUES[0] + DIALOGUES[1] + DIALOGUES[2];
const MEANS = {
  preferenceTokens: (countTokens(SHORT) + countTokens(LONG)) / 2,
  userMessages: (2 + 3 + 3) / 3,
  messages: (3 + 5 + 6) / 3,
  dialogueTokens: SUM / 3,
};

test("records are counted by the persona's distinct preferences, its dialogues and its types", () => {
  const statistics = createStatisticsCounter();
  statistics.addRecord(record('1+a'));
  statistics.addRecord(record('2+b'));
  const counted = statistics.end();
  expect(counted).toMatchObject({
    ...MEANS,
    personas: 2,
    instances: 0,
    preferences: 4,
    checklistItems: 1.5,
    dialogues: 6,
    unsatisfiedDialogues: 2,
    priorTokens: undefined,
    tokenizer: 'o200k_base',
  });
  expect(counted.factorTypes?.slice(0, 3)).toEqual([
    { type: 'Event/Time', count: 4, share: 2 / 3 },
    { type: 'Person/Group', count: 2, share: 1 / 3 },
    { type: 'Organization/Institution', count: 0, share: 0 },
  ]);
  expect(counted.factorTypes).toHaveLength(8);
  expect(counted.preferenceTypes?.slice(0, 2)).toEqual([
    { type: 'Tone', count: 4, share: 2 / 3 },
    { type: 'Format', count: 2, share: 1 / 3 },
  ]);
  expect(counted.preferenceTypes).toHaveLength(16);
  expect(counted.taskTypes?.[0]).toEqual({ type: 'Planning', count: 6, share: 1 });
  expect(counted.taskTypes).toHaveLength(12);
});

test('instances of recorded personas add only their own number and the tokens of their prior dialogues', () => {
  const statistics = createStatisticsCounter();
  const one = record('1+a');
  statistics.addRecord(one);
  const alone = statistics.end();
  statistics.addInstance(instance(one, [1, 3]));
  statistics.addInstance(instance(one, [1, 2, 3]));
  expect(statistics.end()).toEqual({
    ...alone,
    instances: 2,
    priorTokens: (DIALOGUES[0] + DIALOGUES[2] + SUM) / 2,
  });
});

test('of instances alone, what they share counts once a persona, and what only records show is left out', () => {
  const statistics = createStatisticsCounter();
  for (const persona of ['1+a', '2+b']) {
    // Rows from a file never share objects.
    statistics.addInstance(instance(record(persona), [1, 3]));
    statistics.addInstance(instance(record(persona), [1, 2, 3]));
  }
  const counted = statistics.end();
  expect(counted).toMatchObject({
    ...MEANS,
    personas: 2,
    instances: 4,
    preferences: 4,
    checklistItems: 2,
    dialogues: 6,
  });
  for (const name of ['unsatisfiedDialogues', 'factorTypes', 'preferenceTypes', 'taskTypes']) {
    expect(counted).not.toHaveProperty(name);
  }
});

test('types that no vocabulary has, and messages without content, are counted as they are', () => {
  const statistics = createStatisticsCounter();
  const one = record('1+a');
  const [factor] = one.context_factors;
  statistics.addRecord({
    ...one,
    context_factors: factor === undefined ? [] : [{ ...factor, factor_type: 'Weather' }],
    interactions: [
      {
        session_id: 1,
        preference: SHORT,
        checklist: [],
        chat: [
          { role: 'user', content: SHORT },
          { role: 'assistant', content: null },
        ],
        is_satisfied: true,
      },
    ],
  });
  const counted = statistics.end();
  expect(counted.factorTypes?.[0]).toEqual({ type: 'Weather', count: 1, share: 1 });
  expect(counted).toMatchObject({ messages: 2, userMessages: 1, dialogueTokens: countTokens(SHORT) });
});

test('of nothing there are no means', () => {
  expect(createStatisticsCounter().end()).toEqual({
    personas: 0,
    instances: 0,
    preferences: 0,
    dialogues: 0,
    tokenizer: 'o200k_base',
  });
});
