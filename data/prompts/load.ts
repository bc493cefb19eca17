import { existsSync } from 'node:fs';
import path from 'node:path';
import { hasFolder } from '../folders/folder';
import { hashText } from '../store/files';
import { PROGRAM_FOLDER } from '../program-folder';
import { BUILT_IN_PROMPTS, type PromptPack } from '../../schemas/run/prompts';
import { EXAMPLES_FILE, EXAMPLES_PROMPT, EXTRA_PROMPTS, type PromptName } from './files';
import { readMatcherExamples } from './matcher-examples-file';
import { readPrompt, type PromptReading } from './prompt-file';
import { fillTaxonomy, listMissingTypes } from './taxonomy';
import type { Taxonomy } from '../../schemas/dataset/taxonomy';
import { InputError } from '../../schemas/input-error';

/** A prompt pack that cannot be used: all problems of all its files, one a line, each with its remedy. */
export class PromptPackError extends InputError {
  override readonly name = 'PromptPackError';

  constructor(
    readonly source: string,
    readonly problems: readonly string[],
  ) {
    super(
      `The prompt pack "${source}" cannot be used:\n${problems.map((problem) => `- ${problem}`).join('\n')}`,
    );
  }
}

/**
 * Reads and checks the prompts of a pack: a folder with `synthesis/persona_generator.yaml` and so on (or `.yml`). The matcher's worked
 * examples are loaded with the prompt that shows them. Examples and prompts without a file in the reference (`EXTRA_PROMPTS`) default to
 * the built-in ones.
 * @param dir the folder; undefined for the built-in pack
 * @param names the prompts to load: `SYNTHESIS_PROMPT_NAMES`, `EVALUATION_PROMPT_NAMES` or some of them; the hash is over these and the
 * examples
 * @param taxonomy the types to put into the prompts; absent for the paper's
 * @throws PromptPackError that lists all problems
 */
export async function loadPromptPack(
  dir: string | undefined,
  names: readonly PromptName[],
  taxonomy?: Taxonomy,
): Promise<PromptPack> {
  const source = dir ?? BUILT_IN_PROMPTS;
  const folder = dir ?? BUILT_IN;
  if (!(await hasFolder(folder))) {
    throw new PromptPackError(source, [
      `There is no folder ${folder}. Name the folder that contains ${formatFolders(names)}.`,
    ]);
  }
  const readings = await Promise.all(
    [...new Set(names)].map((name) =>
      readPrompt(EXTRA_PROMPTS.has(name) ? [folder, BUILT_IN] : [folder], name),
    ),
  );
  const exampleReading = names.includes(EXAMPLES_PROMPT)
    ? await readMatcherExamples([folder, BUILT_IN])
    : { problems: [] };
  const problems = [
    ...readings.flatMap((reading) => reading.problems),
    ...(taxonomy === undefined ? [] : readings.flatMap(listTaxonomyProblems)),
    ...exampleReading.problems,
  ];
  if (problems.length > 0) throw new PromptPackError(source, problems);
  const prompts = readings.flatMap(({ name, prompt }) =>
    prompt === undefined ? [] : [[name, fillTaxonomy(name, prompt, taxonomy)] as const],
  );
  const pack = {
    prompts: Object.fromEntries(prompts),
    ...(exampleReading.examples === undefined ? {} : { matcherExamples: [...exampleReading.examples] }),
  };
  const builtIn = dir === undefined ? [] : await listAbsent(dir, names);
  return {
    source,
    ...(builtIn.length === 0 ? {} : { builtIn }),
    hash: computePackHash(pack),
    ...pack,
  };
}

/** Lists the reasons why a prompt cannot name the types of a taxonomy: it names those of its author in its text. */
function listTaxonomyProblems({ name, prompt }: PromptReading): string[] {
  const missing = prompt === undefined ? [] : listMissingTypes(name, prompt);
  if (missing.length === 0) return [];
  const places = missing.map((placeholder) => `{${placeholder}}`).join(', ');
  return [
    `${name}: --taxonomy needs places for the types, but the prompt has no ${places}. Put them where the prompt lists the types, or remove --taxonomy.`,
  ];
}

/** Lists the optional files that this pack lacks. */
async function listAbsent(folder: string, names: readonly PromptName[]): Promise<string[]> {
  const files = [
    ...names.filter((name) => EXTRA_PROMPTS.has(name)).map((name) => [`${name}.yaml`, `${name}.yml`]),
    ...(names.includes(EXAMPLES_PROMPT) ? [[EXAMPLES_FILE]] : []),
  ];
  const absent: string[] = [];
  for (const spellings of files) {
    if (!spellings.some((file) => existsSync(path.join(folder, file)))) absent.push(spellings[0] ?? '');
  }
  return absent;
}

const BUILT_IN = path.join(PROGRAM_FOLDER, 'data', 'prompts', 'pack');

function formatFolders(names: readonly PromptName[]): string {
  const folders = new Set(names.map((name) => `"${name.split('/', 1)[0]}"`));
  return [...folders].join(' and ');
}

/** Computes the SHA-256 of a pack's prompts and examples, hexadecimal. */
export function computePackHash({
  prompts,
  matcherExamples: examples,
}: Pick<PromptPack, 'prompts' | 'matcherExamples'>): string {
  // Stored runs are compared by this hash, so the hash of a pack without examples must never change.
  const contents = Object.entries(prompts)
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, prompt]) => [name, prompt.system_prompt, prompt.user_prompt ?? null]);
  const hashed = examples === undefined ? contents : [...contents, [EXAMPLES_FILE, examples]];
  return hashText(JSON.stringify(hashed));
}
