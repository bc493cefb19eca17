import { readFile } from 'node:fs/promises';
import { extname, join } from 'node:path';
import * as z from 'zod';
import { PROGRAM_FOLDER } from './program-folder';
import { parseJsonLine } from './readers/json-lines';
import { readTextLines } from './readers/lines';
import { parseRow } from './readers/parse-row';
import { findTextProblem } from './readers/plain-text';
import type { RunInputs } from '../schemas/run/run';
import { DataError } from './store/data-error';

/** Origin of the seeds of a run; `personas` when the user provided descriptions instead. */
export type SeedOrigin = RunInputs['seeds']['origin'];

/** Seed sentences of personas, and their origin. */
export interface Seeds {
  /** `built-in`, or the file as the user named it. */
  readonly source: string;
  /** Author of the sentences, who decides the license of the data made from them. */
  readonly origin: Exclude<SeedOrigin, 'personas'>;
  /** In the file's order, without repeats and surrounding spaces. */
  readonly seeds: string[];
  /** Number of repeated sentences that were left out. */
  readonly duplicates: number;
}

/** Reads the built-in seed sentences, which were written for this program and are free to use. */
export async function readShippedSeeds(): Promise<Seeds> {
  const { seeds, duplicates } = await readSeeds(getShippedPath('seeds.txt'));
  return { source: 'built-in', origin: 'built-in', seeds, duplicates };
}

/**
 * Reads the occupations by which seed sentences are chosen. For PersonaHub's sentences these are 115 words (paper, B.1). For all others,
 * the occupations that only the built-in sentences use are added.
 */
export async function readOccupations(origin: Seeds['origin']): Promise<string[]> {
  const files = ['occupations.txt', ...(origin === 'personahub' ? [] : ['further-occupations.txt'])];
  const texts = await Promise.all(files.map((name) => readFile(getShippedPath(name), 'utf8')));
  return texts.flatMap((text) => text.split('\n')).filter((line) => line !== '');
}

/**
 * Reads seed sentences: PersonaHub's `instruction.jsonl` as downloaded (JSON lines with the field `input persona`), or a plain text with
 * one sentence a line. Empty lines are skipped.
 * @throws DataError when the file cannot be read, holds no sentence, or has an invalid row
 */
export async function readSeeds(file: string): Promise<Seeds> {
  const sentences = new Set<string>();
  let form: SeedFormat | undefined;
  let rows = 0;
  refuseTables(file);
  for await (const [row, line] of readTextLines(file, UNPACK)) {
    form ??= findForm(file, line);
    sentences.add(form === 'jsonl' ? parsePersona(line, row, file) : checkSentence(line, row, file));
    rows += 1;
  }
  if (rows === 0) {
    throw new DataError(
      `${file} contains no seed sentence. Write one sentence per line, or use ${PERSONA_HUB}.`,
    );
  }
  const origin = form === 'jsonl' ? 'personahub' : 'file';
  return { source: file, origin, seeds: [...sentences], duplicates: rows - sentences.size };
}

const UNPACK =
  'If the file is compressed or is a Parquet file, unpack or convert it to JSON lines first; if it is text, save it as UTF-8.';

type SeedFormat = 'jsonl' | 'text';

const FIELD = 'input persona';

const PERSONA_HUB = "PersonaHub's instruction.jsonl";

/** Rejects tables: their header would become a persona, and commas and quotes would be part of the others. */
function refuseTables(file: string, firstLine = ''): void {
  if (!/\.(csv|tsv)$/i.test(file) && !HEADER.test(firstLine)) return;
  throw new DataError(
    `${file} contains comma- or tab-separated values, which are not accepted as seeds. ` +
      `Write the sentences into a .txt file, one per line, or as JSON lines with the field "${FIELD}".`,
  );
}

/** The header of a table under another file extension: names of columns, one of them for seeds. */
const HEADER = /^(?:[^,\t]{0,40}[,\t])*"?(?:input |input_)?(?:persona|seed)"?(?:[,\t][^,\t]{0,40})*$/i;

function findForm(file: string, firstLine: string): SeedFormat {
  if (/[,\t]/.test(firstLine)) refuseTables(file, firstLine);
  if (firstLine.startsWith('[')) {
    throw new DataError(
      `${file} begins with "[": a JSON list. Write one JSON object per line (JSON lines), as ${PERSONA_HUB} has them.`,
    );
  }
  if (['.jsonl', '.ndjson', '.json'].includes(extname(file).toLowerCase())) return 'jsonl';
  return firstLine.startsWith('{') ? 'jsonl' : 'text';
}

function parsePersona(line: string, row: number, file: string): string {
  const place = `${file}, row ${row}`;
  const parsed = parseJsonLine(line, row);
  if ('problem' in parsed) throw new DataError(`${place}: ${parsed.problem}`);
  const { [FIELD]: persona } = parseRow(personaSchema, parsed.value, place, FIX);
  return checkSentence(persona.trim(), row, file, `, field ${FIELD}`);
}

const personaSchema = z.object({
  [FIELD]: z.string().refine((persona) => persona.trim() !== '', 'expected a sentence, found an empty one'),
});

const FIX =
  `Fix or delete the row. If the sentences are in another field, rename it to "${FIELD}", or write the sentences into a .txt ` +
  'file, one per line.';

function checkSentence(text: string, row: number, file: string, field = ''): string {
  // An invalid text would make a prompt with several sentences fail.
  const problem = findTextProblem(text, LONGEST_SEED, 'one sentence');
  if (problem === undefined) return text;
  throw new DataError(`${file}, row ${row}${field}: ${problem}. Fix or delete the row.`);
}

const LONGEST_SEED = 2_000;

/** Returns the path of a file that the build copies beside the compiled code. */
function getShippedPath(name: string): string {
  return join(PROGRAM_FOLDER, 'data', 'seeds', name);
}
