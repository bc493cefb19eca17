import { mkdir, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import {
  EVALUATION_PROMPT_NAMES,
  SYNTHESIS_PROMPT_NAMES,
  type PromptName,
} from '../../../../data/prompts/files';
import { loadPromptPack, PromptPackError } from '../../../../data/prompts/load';
import { computeSha256 } from './sha256';
import { LEAST_PROMPTS } from './least-prompts';
import { expectGoldenErrors, type RefusedCall } from '../../../golden';
import { createEmptiedFolder } from '../../../temporary-folder';

const DECOMPOSER = 'synthesis/preference_decomposer';

const folder = createEmptiedFolder();

beforeEach(async () => {
  await mkdir(path.join(folder, 'synthesis'));
  await Promise.all(SYNTHESIS_PROMPT_NAMES.map((name) => write(`${name}.yaml`, LEAST_PROMPTS[name])));
});

test('loads every prompt of a folder, with its texts as they stand', async () => {
  await write(
    `${DECOMPOSER}.yaml`,
    'system_prompt: |\n  take {{apart}}\n\nuser_prompt: |-\n  {preferences}\n',
  );
  const pack = await loadPromptPack(folder, SYNTHESIS_PROMPT_NAMES);
  expect(pack.source).toBe(folder);
  expect(Object.keys(pack.prompts).toSorted()).toEqual([...SYNTHESIS_PROMPT_NAMES].toSorted());
  expect(pack.prompts[DECOMPOSER]).toEqual({
    system_prompt: 'take {{apart}}\n',
    user_prompt: '{preferences}',
  });
});

test('reads only the prompts that are needed', async () => {
  await write('synthesis/user_simulator.yaml', '{');
  const pack = await loadPromptPack(folder, [DECOMPOSER]);
  expect(Object.keys(pack.prompts)).toEqual([DECOMPOSER]);
});

test('takes .yml where there is no .yaml', async () => {
  await rm(path.join(folder, `${DECOMPOSER}.yaml`));
  await write(`${DECOMPOSER}.yml`, 'system_prompt: short name\nuser_prompt: "{preferences}"\n');
  const pack = await loadPromptPack(folder, SYNTHESIS_PROMPT_NAMES);
  expect(pack.prompts[DECOMPOSER]?.system_prompt).toBe('short name');
});

test('leaves out the user prompt of the prompts that are a system prompt only, as the reference does', async () => {
  await write('synthesis/assistant_simulator.yaml', 'system_prompt: help\nuser_prompt: "{anything"\n');
  const pack = await loadPromptPack(folder, SYNTHESIS_PROMPT_NAMES);
  expect(pack.prompts['synthesis/assistant_simulator']).toEqual({ system_prompt: 'help' });
});

test('the hash follows the texts and nothing else', async () => {
  const before = await loadPromptPack(folder, SYNTHESIS_PROMPT_NAMES);
  expect(before.hash).toMatch(/^[0-9a-f]{64}$/u);

  await write(
    `${DECOMPOSER}.yaml`,
    `# a note\r\n${LEAST_PROMPTS[DECOMPOSER].replaceAll('\n', '\r\n')}author: somebody\r\n`,
  );
  expect((await loadPromptPack(folder, SYNTHESIS_PROMPT_NAMES)).hash).toBe(before.hash);

  await write(`${DECOMPOSER}.yaml`, LEAST_PROMPTS[DECOMPOSER].replace('take', 'pull'));
  expect((await loadPromptPack(folder, SYNTHESIS_PROMPT_NAMES)).hash).not.toBe(before.hash);
});

test('the hash distinguishes whether a text stands in the system or the user prompt', async () => {
  await write(`${DECOMPOSER}.yaml`, 'system_prompt: "{preferences}"\nuser_prompt: "go"\n');
  const one = await loadPromptPack(folder, [DECOMPOSER]);
  await write(`${DECOMPOSER}.yaml`, 'system_prompt: "go"\nuser_prompt: "{preferences}"\n');
  const other = await loadPromptPack(folder, [DECOMPOSER]);
  expect(one.hash).not.toBe(other.hash);
});

// Stored runs are compared by these hashes.
test('the hash of a pack for synthesis is over its names and texts in order, and knows nothing of evaluation', async () => {
  const { hash, ...pack } = await loadPromptPack(folder, SYNTHESIS_PROMPT_NAMES);
  expect(pack).not.toHaveProperty('matcherExamples');
  const texts = [
    ['synthesis/assistant_simulator', 'help', null],
    ['synthesis/context_factors_generator', '{n_factors}', '{user_persona}'],
    ['synthesis/persona_generator', 'describe', '{seed_descriptions}'],
    ['synthesis/preference_decomposer', 'take apart', '{preferences}'],
    [
      'synthesis/sessions_generator',
      '{n_sessions} {series_structure} {first_factor} {second_factor}',
      '{user_persona} {context_factors}',
    ],
    ['synthesis/user_simulator', '{user_profile} {context_factor} {preference} {checklist}', null],
  ];
  expect(hash).toBe(computeSha256(JSON.stringify(texts)));
  expect(hash).toBe('5db8dec5becd463a929ee72f02ee7b06a7b130fba258254086dbeeba8c6ef344');
});

test('says so when there is no such folder', async () => {
  const missing = path.join(folder, 'nowhere');
  await expect(problemsOf(missing)).resolves.toEqual([
    `There is no folder ${missing}. Name the folder that contains "synthesis".`,
  ]);
  await expect(problemsOf(missing, EVALUATION_PROMPT_NAMES)).resolves.toEqual([
    `There is no folder ${missing}. Name the folder that contains "evaluation" and "synthesis".`,
  ]);
});

const USER = 'user_prompt: "{preferences}"\n';
const SYSTEM = 'system_prompt: "{preferences}"\n';

test('names file and remedy of a prompt that cannot be used', async () => {
  const refuse = (content: string | Buffer): RefusedCall => [
    JSON.stringify(String(content)),
    async () => {
      await write(`${DECOMPOSER}.yaml`, content);
      return loadPromptPack(folder, SYNTHESIS_PROMPT_NAMES);
    },
  ];
  await expectGoldenErrors('refused-prompts.txt', folder, PromptPackError, [
    refuse('system_prompt: [\n'),
    refuse('system_prompt: *x\nuser_prompt: y\n'),
    refuse(Buffer.from([0x73, 0x3a, 0x20, 0xff, 0x0a])),
    refuse(''),
    refuse(USER),
    refuse(`system_prompt: 5\n${USER}`),
    refuse(SYSTEM),
    refuse(`${SYSTEM}user_prompt: " "\n`),
    refuse('system_prompt: a\nuser_prompt: b\n'),
    refuse(`system_prompt: "{persona}"\n${USER}`),
    refuse('system_prompt: a\nuser_prompt: "\\n{\\"a\\": 1} {preferences}"\n'),
  ]);
});

test('a placeholder of the user simulator counts only in its system prompt', async () => {
  await write(
    'synthesis/user_simulator.yaml',
    'system_prompt: "{user_profile} {context_factor} {preference}"\nuser_prompt: "{checklist}"\n',
  );
  expect((await problemsOf(folder)).join()).toMatch(
    /\{checklist\} is missing\. Put it into system_prompt\./u,
  );
});

test('says why a file that is there cannot be read', async () => {
  await rm(path.join(folder, `${DECOMPOSER}.yaml`));
  await mkdir(path.join(folder, `${DECOMPOSER}.yaml`));
  expect((await problemsOf(folder)).join()).toMatch(
    /preference_decomposer\.yaml is a directory\. Expected a regular file\./u,
  );
});

test('reports the problems of all files at once', async () => {
  await rm(path.join(folder, 'synthesis/persona_generator.yaml'));
  await write(`${DECOMPOSER}.yaml`, 'system_prompt: "{x} }"\nuser_prompt: b\n');
  await write('synthesis/assistant_simulator.yaml', 'system_prompt: 1\n');
  const error = await failureOf(folder);
  expect(error.problems).toHaveLength(5);
  expect(error.message.split('\n')).toEqual([
    `The prompt pack "${folder}" cannot be used:`,
    ...error.problems.map((problem) => `- ${problem}`),
  ]);
  expect(error.message).toMatch(/persona_generator\.yaml: no such file\. A pack needs it/u);
  expect(error.message).toMatch(/\{x\}, which is not among/u);
  expect(error.message).toMatch(/a single "\}" is unpaired/u);
  expect(error.message).toMatch(/\{preferences\} is missing/u);
  expect(error.message).toMatch(/assistant_simulator\.yaml: system_prompt is missing or/u);
});

async function write(name: string, content: string | Buffer): Promise<void> {
  await writeFile(path.join(folder, name), content);
}

async function problemsOf(
  source: string,
  names: readonly PromptName[] = SYNTHESIS_PROMPT_NAMES,
): Promise<readonly string[]> {
  return (await failureOf(source, names)).problems;
}

async function failureOf(
  source: string,
  names: readonly PromptName[] = SYNTHESIS_PROMPT_NAMES,
): Promise<PromptPackError> {
  try {
    await loadPromptPack(source, names);
  } catch (error) {
    if (error instanceof PromptPackError) return error;
    throw error;
  }
  throw new Error('The pack was accepted.');
}
