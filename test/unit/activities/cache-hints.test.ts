import { buildPromptQuestion } from '../../../activities/ask-model';
import { buildDialogueHint, buildHistoryHint, buildSystemHint } from '../../../activities/cache-hints';
import { EVALUATION_PROMPT_NAMES } from '../../../data/prompts/files';
import { loadPromptPack } from '../../../data/prompts/load';
import { renderPrompt } from '../../../data/prompts/render';
import type { Message } from '../../../schemas/dataset/message';
import type { PromptPack } from '../../../schemas/run/prompts';

const CONSTANT = 'x'.repeat(2_000);
const SAID: readonly Message[] = [
  { role: 'assistant', content: 'request' },
  { role: 'user', content: 'answer 1' },
  { role: 'assistant', content: 'remark 1' },
  { role: 'user', content: 'answer 2' },
];

let pack: PromptPack;
beforeAll(async () => {
  pack = await loadPromptPack(undefined, EVALUATION_PROMPT_NAMES);
});

test('a turn reads what the turn before it wrote, and writes up to its own end for the next', () => {
  const hint = buildDialogueHint(['run', 1, 2, 'user'], SAID, { constant: CONSTANT, goesOn: true });
  expect(hint.ends).toEqual([{ message: 'system', characters: 2_000 }, { message: 1 }, { message: 3 }]);
  const first = buildDialogueHint(['run', 1, 2, 'user'], SAID.slice(0, 2), {
    constant: CONSTANT,
    goesOn: true,
  });
  expect(first).toEqual({ key: hint.key, ends: [{ message: 'system', characters: 2_000 }, { message: 1 }] });
});

test('the last turn before the limit writes nothing, and short constant text is not marked', () => {
  const hint = buildDialogueHint(['run', 1, 2, 'user'], SAID, { constant: CONSTANT.slice(1), goesOn: false });
  expect(hint.ends).toEqual([{ message: 1 }]);
});

test('each dialogue and each side has its own key, within the 64 characters that OpenAI takes', () => {
  const long = 'run-with-a-long-name-'.repeat(10);
  const keys = [
    [long, 1, 2, 'user'],
    [long, 1, 2, 'assistant'],
    [long, 1, 3, 'user'],
  ].map((side) => buildDialogueHint(side, SAID, { constant: '', goesOn: true }).key);
  expect(new Set(keys).size).toBe(3);
  for (const key of keys) expect(key.length).toBeLessThanOrEqual(64);
});

test.each([
  'evaluation/preference_inferrer',
  'evaluation/response_generator',
  'evaluation/preference_chooser',
] as const)('%s shares everything up to the task with the other tasks in the built-in pack', (name) => {
  const values = { interaction_log: 'LOG {curr_request}', curr_request: 'REQUEST', options: 'A. B' };
  const hint = buildHistoryHint(
    ['run', 1, 'full'],
    pack,
    buildPromptQuestion({ prompts: pack }, name, values),
    { isRepeated: true, beginnings: [] },
  );
  const { user = '' } = renderPrompt(pack, 'evaluation/preference_inferrer', values);
  expect(hint?.ends).toEqual([
    { message: 0, characters: user.indexOf('## Your task') + '## Your task\n\n'.length },
  ]);
});

test('they share nothing in a pack that gives them system prompts of their own', () => {
  const respond = { system_prompt: 'Respond.', user_prompt: '{interaction_log} {curr_request}' };
  const own = { ...pack, prompts: { ...pack.prompts, 'evaluation/response_generator': respond } };
  expect(
    buildHistoryHint(
      ['run', 1, 'full'],
      own,
      buildPromptQuestion({ prompts: own }, 'evaluation/preference_inferrer', {
        interaction_log: 'LOG',
        curr_request: 'R',
      }),
      { isRepeated: true, beginnings: [] },
    ),
  ).toBeUndefined();
});

test('a history ends where the histories of other requests differ, and at its own end if that is shown again', () => {
  const sessions = ['one', 'two', 'three'].map((name) => `${name} `.repeat(1_000));
  const request = buildPromptQuestion({ prompts: pack }, 'evaluation/preference_chooser', {
    interaction_log: sessions.join('\n\n'),
    curr_request: 'R',
    options: 'A or B',
  });
  const beginnings = [2, 1, 1, 0].map((count) => `${sessions.slice(0, count).join('\n\n')}\n\n`);
  const [{ content } = { content: '' }] = request.messages;
  const start = content.indexOf(sessions[0] ?? '');
  const build = (isRepeated: boolean) =>
    buildHistoryHint(['run', 'persona', 'full@32k'], pack, request, { isRepeated, beginnings })?.ends;
  // Nobody caches the few characters before the history.
  const ends = beginnings.slice(0, 2).map(({ length }) => ({ message: 0, characters: start + length }));
  expect(build(false)).toEqual(ends);
  expect(build(true)).toEqual([...ends, { message: 0, characters: content.indexOf('## Your task') + 14 }]);
});

test("a system prompt's constant beginning ends at the first placeholder that varies", () => {
  expect(hintFor(`${CONSTANT}{{}} {examples} {preference} more`)?.ends).toEqual([
    { message: 'system', characters: 2_007 },
  ]);
  expect(hintFor(`{preference}${CONSTANT}`)).toBeUndefined();
});

function hintFor(system_prompt: string) {
  const prompts = { 'evaluation/preference_matcher': { system_prompt } };
  const constants = { examples: '{e}' };
  return buildSystemHint(['run', 'match'], { ...pack, prompts }, 'evaluation/preference_matcher', constants);
}
