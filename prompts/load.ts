import { createHash } from 'node:crypto';
import { readFile, stat } from 'node:fs/promises';
import path from 'node:path';
import { parseDocument } from 'yaml';
import { z } from 'zod';
import { PROMPT_NAMES, type PromptName, SYNTHESIS_PROMPTS, SYSTEM_ONLY_PROMPTS } from './files';
import { type Prompt, type PromptPack } from '../schemas/prompts';
import { placeholderNames, readTemplate } from './render';

/** A prompt pack that cannot be used: every problem of all its files, one a line, each with its mend. */
export class PromptPackError extends Error {
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
 * Reads and checks the prompts of a pack: a folder with `synthesis/persona_generator.yaml` and so on (`.yml` will do).
 * @param dir the folder; undefined for the pack that comes with the program.
 * @param needed the prompts to load; the hash is over these.
 * @throws PromptPackError with all that is wrong, when anything is.
 */
export async function loadPromptPack(
  dir: string | undefined,
  needed: readonly PromptName[] = PROMPT_NAMES,
): Promise<PromptPack> {
  const source = dir ?? 'built-in';
  const folder = dir ?? path.join(__dirname, 'pack');
  if (!(await isFolder(folder))) {
    throw new PromptPackError(source, [`${folder}: no such folder. Name the folder that holds "synthesis".`]);
  }
  const readings = await Promise.all(needed.map((name) => readPrompt(folder, name)));
  const problems = readings.flatMap((reading) => reading.problems);
  if (problems.length > 0) throw new PromptPackError(source, problems);
  const prompts = readings.flatMap(({ name, prompt }) =>
    prompt === undefined ? [] : [[name, prompt] as const],
  );
  return { source, hash: hashOf(prompts), prompts: Object.fromEntries(prompts) };
}

interface PromptReading {
  readonly name: PromptName;
  readonly prompt?: Prompt;
  readonly problems: readonly string[];
}

async function isFolder(folder: string): Promise<boolean> {
  try {
    return (await stat(folder)).isDirectory();
  } catch {
    return false;
  }
}

async function readPrompt(folder: string, name: PromptName): Promise<PromptReading> {
  const file = await readPromptFile(folder, name);
  if ('problem' in file) return { name, problems: [file.problem] };
  const parsed = parsePrompt(file.bytes, name);
  if ('problems' in parsed)
    return { name, problems: parsed.problems.map((problem) => `${file.path}: ${problem}`) };
  const problems = templateProblems(name, parsed).map((problem) => `${file.path}: ${problem}`);
  return { name, prompt: parsed, problems };
}

async function readPromptFile(
  folder: string,
  name: PromptName,
): Promise<{ path: string; bytes: Uint8Array } | { problem: string }> {
  for (const extension of ['.yaml', '.yml']) {
    const file = path.join(folder, `${name}${extension}`);
    try {
      return { path: file, bytes: await readFile(file) };
    } catch (error) {
      const code = systemCode(error);
      if (code !== 'ENOENT' && code !== 'ENOTDIR') {
        return {
          problem: `${file}: cannot be read (${code ?? String(error)}). Check that it is a readable file.`,
        };
      }
    }
  }
  return {
    problem: `${path.join(folder, `${name}.yaml`)}: no such file. A pack needs it, with the keys system_prompt and user_prompt.`,
  };
}

/** By shape, not by class: errors of Node's own may come from another realm. */
function systemCode(error: unknown): string | undefined {
  return z.object({ code: z.string() }).safeParse(error).data?.code;
}

function parsePrompt(bytes: Uint8Array, name: PromptName): Prompt | { problems: string[] } {
  let content: unknown;
  try {
    const document = parseDocument(new TextDecoder('utf-8', { fatal: true }).decode(bytes));
    if (document.errors.length > 0) {
      return { problems: document.errors.map(({ message }) => `not valid YAML: ${firstLine(message)}`) };
    }
    content = document.toJS();
  } catch (error) {
    return { problems: [`not valid YAML in UTF-8: ${firstLine(String(error))}`] };
  }
  const systemOnly = SYSTEM_ONLY_PROMPTS.has(name);
  const parsed = (systemOnly ? systemOnlyFileSchema : promptFileSchema).safeParse(content);
  if (!parsed.success) return { problems: parsed.error.issues.map(fileProblem) };
  return parsed.data;
}

/** What else stands in a file is not ours to judge. */
const promptFileSchema = z.object({
  system_prompt: z.string(),
  // No provider takes an empty message.
  user_prompt: z.string().refine((text) => text.trim() !== '', 'must not be blank'),
});

/** The reference never reads the user prompt of these; so it is neither checked nor kept. */
const systemOnlyFileSchema = z.object({ system_prompt: z.string() });

function fileProblem(issue: z.core.$ZodIssue): string {
  const key = issue.path.join('.');
  if (key === '') return 'must hold the keys system_prompt and user_prompt, each with a text.';
  const complaint = issue.code === 'custom' ? issue.message : 'must be there and be a text';
  return `${key} ${complaint}. Write "${key}: |" and the text on the lines below, indented.`;
}

/** The message goes on with an excerpt of the file. */
function firstLine(message: string): string {
  return message.split('\n', 1)[0] ?? message;
}

function templateProblems(name: PromptName, prompt: Prompt): string[] {
  const known: readonly string[] = SYNTHESIS_PROMPTS[name];
  const knownText = known.map((placeholder) => `{${placeholder}}`).join(', ') || 'none';
  const found = new Set<string>();
  const problems: string[] = [];
  for (const key of ['system_prompt', 'user_prompt'] as const) {
    const template = prompt[key];
    if (template === undefined) continue;
    const reading = readTemplate(template);
    problems.push(...reading.problems.map((problem) => `${key}, ${problem}.`));
    for (const placeholder of placeholderNames(reading.parts)) {
      found.add(placeholder);
      if (!known.includes(placeholder)) {
        problems.push(
          `${key} asks for {${placeholder}}, which is not among this prompt's placeholders (${knownText}). Correct its name, or write "{{${placeholder}}}" for literal braces.`,
        );
      }
    }
  }
  const texts = SYSTEM_ONLY_PROMPTS.has(name) ? 'system_prompt' : 'system_prompt or user_prompt';
  const missing = known.filter((placeholder) => !found.has(placeholder));
  return [
    ...problems,
    ...missing.map((placeholder) => `the placeholder {${placeholder}} is missing. Put it into ${texts}.`),
  ];
}

function hashOf(prompts: readonly (readonly [PromptName, Prompt])[]): string {
  const contents = prompts
    .toSorted(([one], [other]) => (one < other ? -1 : 1))
    .map(([name, prompt]) => [name, prompt.system_prompt, prompt.user_prompt ?? null]);
  return createHash('sha256').update(JSON.stringify(contents)).digest('hex');
}
