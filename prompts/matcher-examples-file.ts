import path from 'node:path';
import { z } from 'zod';
import { MATCH_LABELS } from '../schemas/evaluation/evaluation';
import { formatCount } from '../formatting/count-text';
import { matcherExampleSchema, type MatcherExample } from '../schemas/run/prompts';
import { EXAMPLES_FILE } from './files';
import { getFirstLine, readFirstFile, decodeUtf8 } from './pack-file';

type MatcherExamplesReading =
  | { readonly examples: readonly MatcherExample[] }
  /** A sentence each, with file, entry and remedy. */
  | { readonly problems: readonly string[] };

/** Reads and checks the matcher's worked examples in the first of the folders that has their file. */
export async function readMatcherExamples(folders: readonly string[]): Promise<MatcherExamplesReading> {
  const files = folders.map((folder) => path.join(folder, EXAMPLES_FILE));
  const file = await readFirstFile(files);
  if (file === 'absent') return { problems: [`${files[0]}: no such file. Write ${FORM} into it.`] };
  if ('problem' in file) return { problems: [file.problem] };
  const parsed = parseExamples(file.bytes);
  if ('examples' in parsed) return parsed;
  return { problems: parsed.problems.map((problem) => `${file.path}: ${problem}`) };
}

const FORM = '[{"preference": "…", "checklist": [{"entry": "…", "label": "Fully Covered"}]}]';

function parseExamples(bytes: Uint8Array): MatcherExamplesReading {
  let content: unknown;
  try {
    content = JSON.parse(decodeUtf8(bytes));
  } catch (error) {
    return { problems: [`not valid JSON in UTF-8: ${getFirstLine(String(error))}`] };
  }
  const parsed = z.array(matcherExampleSchema).min(1).safeParse(content);
  if (parsed.success) return { examples: parsed.data };
  const { issues } = parsed.error;
  const more = issues.length - MAX_PROBLEMS;
  return {
    problems: [
      ...issues.slice(0, MAX_PROBLEMS).map(describeExampleProblem),
      ...(more > 0 ? [`has ${formatCount(more, 'more problem')} like these.`] : []),
    ],
  };
}

const MAX_PROBLEMS = 20;

/** Issues lie at [], [example], [example, key] or [example, 'checklist', entry, key]; both are counted from 1 in messages. */
function describeExampleProblem(issue: z.core.$ZodIssue): string {
  const [example, key, entry, entryKey] = issue.path;
  if (typeof example !== 'number') return `must contain a list with at least one example: ${FORM}.`;
  const place = `example ${example + 1}`;
  if (key === undefined) return `${place} must contain a preference and a checklist, as in ${FORM}.`;
  if (key === 'checklist' && typeof entry !== 'number') {
    return `${place}: checklist must be a list with at least one entry, as in ${FORM}.`;
  }
  if (key === 'checklist')
    return `${place}, entry ${Number(entry) + 1}${describeEntryProblem(entryKey, issue)}`;
  return `${place}: ${describeTextProblem(String(key), issue)}`;
}

function describeEntryProblem(key: PropertyKey | undefined, issue: z.core.$ZodIssue): string {
  if (key === undefined)
    return ' must contain an entry and a label, as in {"entry": "…", "label": "Fully Covered"}.';
  if (key === 'label') {
    const labels = MATCH_LABELS.map((label) => `"${label}"`).join(', ');
    return `: label must be one of ${labels}, in exactly these letters.`;
  }
  return `: ${describeTextProblem(String(key), issue)}`;
}

function describeTextProblem(key: string, issue: z.core.$ZodIssue): string {
  return `${key} ${issue.code === 'custom' ? issue.message : 'is missing or is not a text'}.`;
}
