import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { describeIssues } from '../schemas/issues';
import { DataError, getReason } from '../data/sets/error';
import { labelledPairSchema, type LabelledPair } from '../schemas/labels';

/** Pairs that people labelled, with the file they are from. */
export interface Labels {
  readonly source: string;
  readonly sha256: string;
  readonly pairs: readonly LabelledPair[];
}

/**
 * Reads a file of pairs that people labelled, a JSON object a line.
 * @throws DataError that names the line and the field
 */
export async function readLabels(file: string): Promise<Labels> {
  let text: string;
  try {
    text = await readFile(file, 'utf8');
  } catch (error) {
    throw new DataError(
      `${file} cannot be read (${getReason(error)}). Check the path and the permission to read it.`,
    );
  }
  const lines = text
    .split('\n')
    .flatMap((line, at) => (line.trim() === '' ? [] : [{ line, number: at + 1 }]));
  if (lines.length === 0) throw new DataError(`${file} contains no pairs. ${LABELS_HINT}`);
  const pairs = lines.map(({ line, number }) => {
    let value: unknown;
    try {
      value = JSON.parse(line);
    } catch {
      throw new DataError(`${file}, line ${number}: not JSON. ${LABELS_HINT}`);
    }
    const parsed = labelledPairSchema.safeParse(value);
    if (parsed.success) return parsed.data;
    throw new DataError(`${describeIssues(`${file}, line ${number}`, parsed.error, value)}\n${LABELS_HINT}`);
  });
  return { source: file, sha256: createHash('sha256').update(text).digest('hex'), pairs };
}

const LABELS_HINT = `Each line is a JSON object with a preference, its checklist, and for each entry the labels of its raters: {"preference":"…","checklist":["…"],"labels":[["Fully Covered","Partially Covered","Fully Covered"]]}`;
