import { mkdir, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import {
  EVALUATION_PROMPT_NAMES,
  SYNTHESIS_PROMPT_NAMES,
  type PromptName,
} from '../../../../data/prompts/files';
import { loadPromptPack, PromptPackError } from '../../../../data/prompts/load';
import type { PromptPack } from '../../../../schemas/run/prompts';
import { LEAST_PROMPTS } from './least-prompts';
import { computeSha256 } from './sha256';
import { createEmptiedFolder } from '../../../temporary-folder';

const EXAMPLES_FILE = 'evaluation/preference_matcher_examples.json';
const EXAMPLES = [
  {
    preference: ' Keep it {short}. ',
    checklist: [
      { entry: 'Is it short?', label: 'Fully Covered' },
      { entry: 'Is it kind?', label: 'Not Covered' },
    ],
  },
];

const folder = createEmptiedFolder();

beforeEach(async () => {
  await Promise.all(['synthesis', 'evaluation'].map((part) => mkdir(path.join(folder, part))));
  await Promise.all(EVALUATION_PROMPT_NAMES.map((name) => write(`${name}.yaml`, LEAST_PROMPTS[name])));
  await write(EXAMPLES_FILE, JSON.stringify(EXAMPLES));
});

test('loads the prompts and the worked examples of a folder as they stand', async () => {
  const pack = await load();
  expect(Object.keys(pack.prompts).toSorted()).toEqual([...EVALUATION_PROMPT_NAMES].toSorted());
  expect(pack.prompts['evaluation/preference_inferrer']).toEqual({
    system_prompt: 'infer',
    user_prompt: '{interaction_log} {curr_request}',
  });
  expect(pack.matcherExamples).toEqual(EXAMPLES);
});

test('needs no synthesis prompt but the decomposer, and synthesis no evaluation prompt', () => {
  expect(EVALUATION_PROMPT_NAMES.filter((name) => name.startsWith('synthesis/'))).toEqual([
    'synthesis/preference_decomposer',
  ]);
  expect(SYNTHESIS_PROMPT_NAMES.filter((name) => name.startsWith('evaluation/'))).toEqual([]);
});

/** Prompts that the reference lacks. */
const OWN = [
  'evaluation/interaction_summarizer',
  'evaluation/response_generator_with_preference',
  'evaluation/error_classifier',
  'evaluation/preference_chooser',
] as const satisfies readonly PromptName[];

test.each(OWN)('a pack without %s, which the reference lacks, gets the built-in one', async (name) => {
  await rm(path.join(folder, `${name}.yaml`));
  const builtIn = await loadPromptPack(undefined, EVALUATION_PROMPT_NAMES);
  const pack = await load();
  expect(pack.prompts[name]).toEqual(builtIn.prompts[name]);
  expect(pack.source).toBe(folder);
});

test('a pack with a prompt of its own that the reference lacks keeps it, also as .yml', async () => {
  const name = 'evaluation/error_classifier';
  await rm(path.join(folder, `${name}.yaml`));
  await write(`${name}.yml`, LEAST_PROMPTS[name]);
  expect((await load()).prompts[name]?.system_prompt).toBe('{context_factor} {session_preferences}');
});

test('a pack without worked examples gets the built-in ones', async () => {
  await rm(path.join(folder, EXAMPLES_FILE));
  const builtIn = await loadPromptPack(undefined, EVALUATION_PROMPT_NAMES);
  expect(builtIn.matcherExamples).toHaveLength(8);
  expect((await load()).matcherExamples).toEqual(builtIn.matcherExamples);
});

test('examples are loaded only along with the prompt that shows them', async () => {
  await write(EXAMPLES_FILE, 'no JSON');
  const pack = await loadPromptPack(folder, ['evaluation/preference_matcher_model']);
  expect(pack).not.toHaveProperty('matcherExamples');
});

test.each(EVALUATION_PROMPT_NAMES.filter((name) => !OWN.some((own) => own === name)))(
  'a pack without %s, which the reference has, is refused',
  async (name) => {
    await rm(path.join(folder, `${name}.yaml`));
    await expect(problems()).resolves.toEqual([
      `${path.join(folder, `${name}.yaml`)}: no such file. A pack needs it, with the keys system_prompt and user_prompt.`,
    ]);
  },
);

/** Prompts whose system prompt is no template. */
const RAW: readonly PromptName[] = ['evaluation/preference_inferrer', 'evaluation/response_generator'];

test.each(RAW)(
  'the system prompt of %s is taken raw: its braces are neither checked nor undone',
  async (name) => {
    const raw = '{"a": {{1}} {interaction_log} {unknown} }';
    await write(`${name}.yaml`, `system_prompt: '${raw}'\nuser_prompt: '{interaction_log} {curr_request}'\n`);
    expect((await load()).prompts[name]?.system_prompt).toBe(raw);
  },
);

test.each(RAW)('a placeholder of %s counts only in its user prompt, which is checked', async (name) => {
  await write(`${name}.yaml`, 'system_prompt: "{interaction_log}"\nuser_prompt: "{curr_request} {x}"\n');
  const [unknown, missing, ...others] = await problems();
  expect(unknown).toMatch(/user_prompt uses \{x\}, which is not among .*\{curr_request\}/u);
  expect(missing).toMatch(/the placeholder \{interaction_log\} is missing\. Put it into user_prompt\.$/u);
  expect(others).toEqual([]);
});

test.each(EVALUATION_PROMPT_NAMES.filter((name) => !RAW.includes(name)))(
  'the system prompt of %s is a template, whose braces are checked',
  async (name) => {
    await write(`${name}.yaml`, 'system_prompt: "x\\n{"\nuser_prompt: "y"\n');
    expect((await problems()).join('\n')).toMatch(/system_prompt, line 2: a single "\{" is unpaired/u);
  },
);

test('the hash follows the worked examples, in content and not in layout', async () => {
  const { hash, prompts } = await load();
  const texts = Object.entries(prompts)
    .toSorted(([one], [other]) => (one < other ? -1 : 1))
    .map(([name, prompt]) => [name, prompt.system_prompt, prompt.user_prompt]);
  expect(hash).toBe(computeSha256(JSON.stringify([...texts, [EXAMPLES_FILE, EXAMPLES]])));

  await write(EXAMPLES_FILE, JSON.stringify(EXAMPLES, undefined, 4));
  expect((await load()).hash).toBe(hash);
  await write(EXAMPLES_FILE, JSON.stringify(EXAMPLES).replace('Not Covered', 'Partially Covered'));
  expect((await load()).hash).not.toBe(hash);
});

test('a prompt that is named twice counts once', async () => {
  const twice = await loadPromptPack(folder, [...EVALUATION_PROMPT_NAMES, 'synthesis/preference_decomposer']);
  expect(twice).toEqual(await load());
});

const CHECKLIST = [{ entry: 'e', label: 'Not Covered' }];
const FIRST = { preference: 'p', checklist: CHECKLIST };
const checklist = (...entries: readonly unknown[]) => [{ preference: 'p', checklist: entries }];

const WRONG: readonly [examples: unknown, complaint: string][] = [
  [{}, ': expected a list, found {}. The form is [{"preference": '],
  [[], ': expected a list of at least 1 entry, found []. The form is '],
  [[FIRST, 'x'], ', field [1]: expected an object, found "x". The form is '],
  [[{ checklist: CHECKLIST }], ', field [0].preference: expected a text, found nothing. '],
  [[FIRST, { ...FIRST, preference: 3 }], ', field [1].preference: expected a text, found 3. '],
  [[{ ...FIRST, preference: ' ' }], ', field [0].preference: must not be blank. '],
  [[{ preference: 'p' }], ', field [0].checklist: expected a list, found nothing. '],
  [checklist(), ', field [0].checklist: expected a list of at least 1 entry, found []. '],
  [checklist('e'), ', field [0].checklist[0]: expected an object, found "e". '],
  [checklist({ entry: '', label: 'Not Covered' }), ', field [0].checklist[0].entry: must not be blank. '],
  [checklist({ label: 'Not Covered' }), ', field [0].checklist[0].entry: expected a text, found nothing. '],
  [
    checklist(...CHECKLIST, { entry: 'e', label: 'fully covered' }),
    ', field [0].checklist[1].label: expected one of "Fully Covered", "Partially Covered", "Not Covered", found "fully covered". ',
  ],
];

test.each<[content: string | Buffer, complaint: string]>([
  ['[', ': not JSON ('],
  [Buffer.from([0x22, 0xff, 0x22]), ': not UTF-8. Save the file as UTF-8.'],
  ...WRONG.map(([examples, complaint]): [string, string] => [JSON.stringify(examples), complaint]),
])('names file, example, entry and remedy when the worked examples are %s', async (content, complaint) => {
  await write(EXAMPLES_FILE, content);
  const [problem, ...others] = await problems();
  expect(problem).toContain(`${path.join(folder, EXAMPLES_FILE)}${complaint}`);
  expect(others).toEqual([]);
});

test('says why worked examples that are there cannot be read', async () => {
  await rm(path.join(folder, EXAMPLES_FILE));
  await mkdir(path.join(folder, EXAMPLES_FILE));
  await expect(problems()).resolves.toEqual([
    expect.stringContaining(`${path.join(folder, EXAMPLES_FILE)} is a directory. Expected a regular file.`),
  ]);
});

test('reports the problems of prompts and worked examples at once', async () => {
  await write('evaluation/response_judger.yaml', 'system_prompt: 1\nuser_prompt: 2\n');
  await write(EXAMPLES_FILE, '[{}]');
  expect(await problems()).toHaveLength(4);
});

function load(): Promise<PromptPack> {
  return loadPromptPack(folder, EVALUATION_PROMPT_NAMES);
}

async function problems(names: readonly PromptName[] = EVALUATION_PROMPT_NAMES): Promise<readonly string[]> {
  try {
    await loadPromptPack(folder, names);
  } catch (error) {
    if (error instanceof PromptPackError) return error.problems;
    throw error;
  }
  throw new Error('The pack was accepted.');
}

async function write(name: string, content: string | Buffer): Promise<void> {
  await writeFile(path.join(folder, name), content);
}
