import { loadPromptPack } from '../../../../data/prompts/load';
import { renderInteractionLog } from '../../../../data/prompts/evaluation-values';
import { getSplit } from '../../../../data/sets/persona-split';
import { TrainingPersonas } from '../../../../publishing/training/personas';
import {
  buildAnswerPairs,
  buildChatRows,
  buildTurnRows,
  INFERENCE_PROMPT,
} from '../../../../publishing/training/rows';
import { checkInference } from '../../../../rules/answers/evaluation/inference';
import { splitInstances } from '../../../../rules/instances/split';
import type { Message } from '../../../../schemas/dataset/message';
import type { PersonaRecord } from '../../../../schemas/dataset/record';
import { getValue } from '../../rules/examples';
import { buildSoundRecord, SEED } from '../sound-data';

const user = (content: string): Message => ({ role: 'user', content });
const assistant = (content: string): Message => ({ role: 'assistant', content });

const CHECKLIST = ['Is it short?', 'Is it kind?'];
const SATISFIED = [
  user('Ask.'),
  assistant('A1'),
  user('U1'),
  assistant('A2'),
  user('U2'),
  assistant('A3'),
  user('Thanks.'),
];

/** Builds a persona whose first two dialogues are these; the second never satisfied its user. */
function buildRecord(first: Message[] = SATISFIED, second: Message[] = SATISFIED.slice(0, 4)): PersonaRecord {
  const record = buildSoundRecord(1);
  const interactions = record.interactions.map((interaction, at) => {
    if (at > 1) return interaction;
    return { ...interaction, checklist: CHECKLIST, chat: at === 0 ? first : second, is_satisfied: at === 0 };
  });
  return { ...record, interactions };
}

const reply = (score: number, evaluation: string, selected: string) => ({ score, evaluation, selected });

test('each answer has the dialogue before it and the reply after it; the last one of an unsatisfied dialogue has none', () => {
  const record = buildRecord();
  const rows = buildTurnRows(record, [
    [
      reply(3, '1. Long. Dissatisfied\n2. Rude. Dissatisfied', '1 (Dissatisfied)'),
      reply(6, '1. Yes. Satisfied\n2. Rude. Dissatisfied', '1 (Satisfied), 2 (Dissatisfied), 3'),
      reply(10, '1. Yes. Satisfied\n2. Yes. Satisfied', 'None'),
    ],
    [reply(5, 'It is fine.', '2')],
  ]).filter(({ session }) => session < 3);
  const numbers = rows.map(({ session, turn, score, satisfied, raised }) => [
    session,
    turn,
    score,
    satisfied,
    raised,
  ]);
  expect(numbers).toEqual([
    [1, 1, 3, [], ['Is it short?']],
    [1, 2, 6, ['Is it short?'], CHECKLIST],
    [1, 3, 10, CHECKLIST, []],
    [2, 1, 5, null, ['Is it kind?']],
    [2, 2, null, null, null],
  ]);
  expect(rows[1]).toMatchObject({
    persona_id: record.persona_id,
    prompt: [user('Ask.'), assistant('A1'), user('U1')],
    completion: [assistant('A2')],
    checklist: CHECKLIST,
  });
});

test('a session is stale if a later one, which may be the last, has another preference for its factor', () => {
  const record = buildSoundRecord(1);
  const changed = record.sessions.at(-1);
  const stale = buildTurnRows(record, [])
    .filter((row) => row.stale)
    .map(({ session }) => session);
  const replaced = record.sessions.filter(
    ({ context_factor: factor, preference }) =>
      factor === changed?.context_factor && preference !== changed.preference,
  );
  expect(replaced).toHaveLength(2);
  expect(stale).toEqual(replaced.map(({ id }) => id));
});

test.each([
  [
    'the accepted answer is paired with each one before it',
    SATISFIED,
    [3, 6, 10],
    [
      ['A3', 'A1', 10, 3],
      ['A3', 'A2', 10, 6],
    ],
  ],
  ['an answer that was accepted at once has no pair', SATISFIED.slice(0, 2), [10], []],
  [
    'an answer in the same words is no pair of itself',
    SATISFIED.map((message) => (message.content === 'A1' ? assistant('A3') : message)),
    [3, 6, 10],
    [['A3', 'A2', 10, 6]],
  ],
])('%s', (_name, chat, scores, expected) => {
  const record = buildRecord(chat);
  const pairs = buildAnswerPairs({
    record,
    scores: [
      { session: 1, scores },
      { session: 2, scores: [4] },
    ],
  });
  expect(
    pairs.map(({ chosen, rejected, chosen_score, rejected_score }) => [
      chosen[0]?.content,
      rejected[0]?.content,
      chosen_score,
      rejected_score,
    ]),
  ).toEqual(expected);
  for (const pair of pairs) expect(pair.prompt).toEqual([user('Ask.')]);
});

test('chats end with accepted answers, and with preferences in the form that the evaluation reads', async () => {
  const record = buildRecord();
  const prompts = await loadPromptPack(undefined, [INFERENCE_PROMPT]);
  const rows = buildChatRows(record, SEED, prompts);
  const ofAssistant = rows.filter(({ kind }) => kind === 'assistant');
  expect(ofAssistant.map(({ session }) => session)).toEqual([1, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12]);
  expect(ofAssistant[0]?.messages).toEqual(SATISFIED.slice(0, -1));
  const instances = splitInstances(record, SEED).map(({ instance }) => instance);
  const inferences = rows.filter(({ kind }) => kind === 'inference');
  expect(inferences).toHaveLength(instances.length);
  for (const [at, instance] of instances.entries()) {
    const { instance_type: type, messages = [] } = inferences[at] ?? {};
    expect(type).toBe(instance.instance_type);
    const [system, question, answer] = messages;
    expect(system?.content).toBe(prompts.prompts[INFERENCE_PROMPT]?.system_prompt);
    expect(question?.content).toContain(`## Current request\n\n${instance.current_request}\n`);
    expect(question?.content).toContain(renderInteractionLog(instance.prior_interactions));
    expect(getValue(checkInference(answer?.content ?? ''))).toBe(instance.current_contextual_preference);
  }
});

test('training data has neither the first persona nor those of the test split, unless others are chosen', () => {
  const ids = Array.from({ length: 30 }, (_, index) => `${index + 1}+teacher`);
  const places = (personas: TrainingPersonas) => ids.map((id) => personas.place(id));
  const usual = new TrainingPersonas();
  const expected = ids.map((id, at) => (at === 0 || getSplit(id) === 'test' ? undefined : getSplit(id)));
  expect(places(usual)).toEqual(expected);
  expect(places(usual)).toEqual(expected);
  const count = (split: string) => ids.slice(1).filter((id) => getSplit(id) === split).length;
  const [train, validation, tested] = ['train', 'validation', 'test'].map(
    (split) => `${count(split)} of the split ${split}`,
  );
  const first = 'the first one, from whose record cupid derives the canary of a data set';
  expect(usual.describe()).toBe(`Personas: ${train}, ${validation}. Left out: ${tested}; ${first}.`);
  const check = jest.fn();
  const chosen = new TrainingPersonas({ has: (id) => getSplit(id) === 'test', check });
  expect(new Set(places(chosen))).toEqual(new Set([undefined, 'test']));
  expect(chosen.describe()).toBe(`Personas: ${tested}. Left out: ${train}; ${validation}; ${first}.`);
  chosen.check('out');
  expect(check).toHaveBeenCalledWith(new Set(ids), 'out');
});
