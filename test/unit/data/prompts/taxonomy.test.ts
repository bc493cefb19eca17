import { cpSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { SYNTHESIS_PROMPT_NAMES } from '../../../../data/prompts/files';
import { loadPromptPack } from '../../../../data/prompts/load';
import { createTemporaryFolder } from '../../../temporary-folder';

const folder = createTemporaryFolder();
const NAME = 'synthesis/context_factors_generator';
const TAXONOMY = {
  factor_types: ['Person', 'Place'],
  task_types: ['Drafting', 'Checking'],
  preference_types: ['Voice', 'Depth'],
};

test('the types of a taxonomy take the place of the paper’s, and nothing else of a pack changes', async () => {
  const usual = await loadPromptPack(undefined, SYNTHESIS_PROMPT_NAMES);
  const own = await loadPromptPack(undefined, SYNTHESIS_PROMPT_NAMES, TAXONOMY);
  const text = own.prompts[NAME]?.system_prompt ?? '';
  expect(text).toContain('one of these types:\n\n- Person\n- Place\n\n');
  expect(text).toContain('The types of tasks:\n\n- Drafting\n- Checking\n\n');
  expect(text).toContain('copies the type exactly.\n\n- Voice\n- Depth\n\n');
  expect(text).toContain('Its types are from other lists: take yours from the lists above.');
  expect(text).not.toMatch(/Event\/Time|Brainstorming\n\n|- Style:/);
  expect({ ...own.prompts, [NAME]: undefined }).toEqual({ ...usual.prompts, [NAME]: undefined });
  expect(own.hash).not.toBe(usual.hash);
});

test('a pack that names the types itself is used as it is, and cannot take a taxonomy', async () => {
  const pack = join(folder, 'pack');
  cpSync(join(__dirname, '../../../../data/prompts/pack'), pack, { recursive: true });
  const file = join(pack, `${NAME}.yaml`);
  const text = readFileSync(file, 'utf8')
    .replace('{task_types}', '- Drafting')
    .replace('{example_types}', '');
  writeFileSync(file, text);
  const loaded = await loadPromptPack(pack, SYNTHESIS_PROMPT_NAMES);
  expect(loaded.prompts[NAME]?.system_prompt).toContain('The types of tasks:\n\n- Drafting\n\n');
  await expect(loadPromptPack(pack, SYNTHESIS_PROMPT_NAMES, TAXONOMY)).rejects.toThrow(
    `${NAME}: --taxonomy needs places for the types, but the prompt has no {task_types}.`,
  );
});
