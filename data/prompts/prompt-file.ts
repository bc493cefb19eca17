import path from 'node:path';
import { isMap, isScalar, parseDocument } from 'yaml';
import * as z from 'zod';
import type { Prompt } from '../../schemas/run/prompts';
import {
  PLACEHOLDERS,
  RAW_SYSTEM_PROMPTS,
  SYSTEM_ONLY_PROMPTS,
  TAXONOMY_PLACEHOLDERS,
  type PromptName,
} from './files';
import { readFirstFile } from './pack-file';
import { listPlaceholders, parseTemplate } from './render';
import { formatCount } from '../../schemas/text/count-text';
import { describeYamlProblem } from '../../schemas/text/yaml-text';

export interface PromptReading {
  readonly name: PromptName;
  /** Absent if there are problems. */
  readonly prompt?: Prompt;
  /** Reasons why the prompt cannot be used: one sentence each, with file and remedy. */
  readonly problems: readonly string[];
}

/** Reads and checks a prompt, from the first folder that has its file as `.yaml` or `.yml`. */
export async function readPrompt(folders: readonly string[], name: PromptName): Promise<PromptReading> {
  const file = await readFirstFile(folders, [`${name}.yaml`, `${name}.yml`]);
  if (file === 'absent') {
    const keys = SYSTEM_ONLY_PROMPTS.has(name)
      ? 'the key system_prompt'
      : 'the keys system_prompt and user_prompt';
    return {
      name,
      problems: [
        `${path.join(folders[0] ?? '', `${name}.yaml`)}: no such file. A pack needs it, with ${keys}.`,
      ],
    };
  }
  if ('problem' in file) return { name, problems: [file.problem] };
  const parsed = parsePrompt(file.text, name);
  const problems = 'problems' in parsed ? parsed.problems : validateTemplates(name, parsed);
  if ('problems' in parsed || problems.length > 0) {
    return { name, problems: problems.map((problem) => `${file.path}: ${problem}`) };
  }
  return { name, prompt: parsed, problems: [] };
}

function parsePrompt(text: string, name: PromptName): Prompt | { problems: string[] } {
  let content: unknown;
  try {
    const document = parseDocument(text);
    if (document.errors.length > 0) {
      // Later errors are mostly consequences of the first few.
      const messages = document.errors.slice(0, 3).map(({ message }) => describeYamlProblem(message));
      const hiddenCount = document.errors.length - messages.length;
      return {
        problems: [
          ...messages.map((message) => `not valid YAML: ${message}`),
          ...(hiddenCount > 0 ? [`not valid YAML: ${formatCount(hiddenCount, 'problem')} more`] : []),
        ],
      };
    }
    endAsTheFile(document.contents, text);
    content = document.toJS();
  } catch (error) {
    return { problems: [`not valid YAML: ${describeYamlProblem(String(error))}`] };
  }
  const systemOnly = SYSTEM_ONLY_PROMPTS.has(name);
  const parsed = (systemOnly ? systemOnlyFileSchema : promptFileSchema).safeParse(content);
  if (!parsed.success) return { problems: parsed.error.issues.map(describeFileProblem) };
  return parsed.data;
}

/** Removes the line break that the parser adds to a block at the end of a file without one; PyYAML, which the reference uses, adds none. */
function endAsTheFile(contents: unknown, text: string): void {
  if (!isMap(contents) || !/\S[^\r\n]*$/.test(text)) return;
  const last = contents.items.at(-1)?.value;
  if (!isScalar(last) || last.range?.[1] !== text.length) return;
  const isBlock = last.type === 'BLOCK_LITERAL' || last.type === 'BLOCK_FOLDED';
  if (isBlock && typeof last.value === 'string') last.value = last.value.replace(/\n$/, '');
}

/** Further fields of the file are ignored. */
const promptFileSchema = z.object({
  system_prompt: z.string(),
  // No provider accepts an empty message.
  user_prompt: z.string().refine((text) => text.trim() !== '', 'must not be blank'),
});

/** The reference never reads the user prompt of these, so it is neither checked nor kept. */
const systemOnlyFileSchema = z.object({ system_prompt: z.string() });

function describeFileProblem(issue: z.core.$ZodIssue): string {
  const key = issue.path.join('.');
  if (key === '') return 'must contain the keys system_prompt and user_prompt, each with a text.';
  const complaint = issue.code === 'custom' ? issue.message : 'is missing or is not a text';
  return `${key} ${complaint}. Write "${key}: |" and the text on the lines below, indented.`;
}

function validateTemplates(name: PromptName, prompt: Prompt): string[] {
  const required: readonly string[] = PLACEHOLDERS[name];
  const knownPlaceholders = [...required, ...(TAXONOMY_PLACEHOLDERS[name] ?? [])];
  const knownText = knownPlaceholders.map((placeholder) => `{${placeholder}}`).join(', ') || 'none';
  const usedPlaceholders = new Set<string>();
  const problems: string[] = [];
  for (const key of listTemplateKeys(name)) {
    const template = prompt[key];
    if (template === undefined) continue;
    const reading = parseTemplate(template);
    problems.push(...reading.problems.map((problem) => `${key}, ${problem}.`));
    for (const placeholder of listPlaceholders(reading.parts)) {
      usedPlaceholders.add(placeholder);
      if (!knownPlaceholders.includes(placeholder)) {
        problems.push(
          `${key} uses {${placeholder}}, which is not among this prompt's placeholders (${knownText}). Fix its name, or write "{{${placeholder}}}" for literal braces.`,
        );
      }
    }
  }
  const missing = required.filter((placeholder) => !usedPlaceholders.has(placeholder));
  return [
    ...problems,
    ...missing.map(
      (placeholder) =>
        `the placeholder {${placeholder}} is missing. Put it into ${listTemplateKeys(name).join(' or ')}.`,
    ),
  ];
}

/** Lists which texts of a prompt are templates. */
function listTemplateKeys(name: PromptName): readonly (keyof Prompt)[] {
  if (SYSTEM_ONLY_PROMPTS.has(name)) return ['system_prompt'];
  return RAW_SYSTEM_PROMPTS.has(name) ? ['user_prompt'] : ['system_prompt', 'user_prompt'];
}
