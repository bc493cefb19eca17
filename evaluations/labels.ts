import { z } from 'zod';
import { readJsonLines } from '../data/readers/json-lines';
import { parseRow } from '../data/readers/parse-row';
import { hashFile } from '../data/store/files';
import { DataError } from '../data/sets/error';
import { labelledPairSchema, type LabelledPair } from '../schemas/evaluation/labels';

/** Pairs that people labelled, with the file they are from. */
export interface Labels {
  readonly source: string;
  readonly sha256: string;
  readonly pairs: readonly LabelledPair[];
}

/**
 * Reads a file of pairs that people labelled, a JSON object a line. In a file of annotations (`cupid review`), a later line about a task
 * takes the place of the same rater's earlier one.
 * @throws DataError that names the line and the field
 */
export async function readLabels(file: string): Promise<Labels> {
  const pairs = new Map<string, LabelledPair>();
  for await (const row of readJsonLines({ path: file, name: file })) {
    const place = `${file}, line ${row.number}`;
    if ('problem' in row) throw new DataError(`${place}: ${row.problem} ${LABELS_HINT}`);
    const pair = parseRow(labelledPairSchema, row.value, place, LABELS_HINT);
    const annotation = annotationKeySchema.safeParse(row.value);
    pairs.set(annotation.success ? JSON.stringify(annotation.data) : place, pair);
  }
  if (pairs.size === 0) throw new DataError(`${file} contains no pairs. ${LABELS_HINT}`);
  return { source: file, sha256: (await hashFile(file)).sha256, pairs: [...pairs.values()] };
}

/** What distinguishes an annotation from those of other tasks and raters. */
const annotationKeySchema = z.object({ task: z.string(), rater: z.string() });

const LABELS_HINT = `Each line is a JSON object with a preference, its checklist, and for each entry the labels of its raters: {"preference":"…","checklist":["…"],"labels":[["Fully Covered","Partially Covered","Fully Covered"]]}`;
