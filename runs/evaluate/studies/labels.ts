import * as z from 'zod';
import { readJsonLines } from '../../../data/readers/json-lines';
import { parseRow } from '../../../data/readers/parse-row';
import { DataError } from '../../../data/store/data-error';
import { hashFile } from '../../../data/store/files';
import { compareWithLabels } from '../../../rules/analyses/labels';
import { isPreferenceTask } from '../../../rules/review/tasks';
import type { LabelResults } from '../../../schemas/evaluation/results/studies';
import { type LabelledPair, labelledPairSchema } from '../../../schemas/matching/labelled-pair';
import type { StoredEvaluation } from '../outcomes';
import { hashPair, listPairWork, readMatchedPairs } from './matched-pairs';
import type { Labels, Sample, Study } from './study';

/** Comparison of the matchers with people's labels (paper, A.1). */
export const LABELS: Study<'labels', LabelResults> = {
  tasks: [],
  evaluators: ['inference'],
  readsPersonas: false,
  buildRequest: ({ labels }) => (labels === undefined ? undefined : readLabels(labels)),
  // A pair with labels of several people on separate lines is matched once.
  draw: ({ evaluation }, labels) => ({
    ...labels,
    pairs: [...labels.pairs],
    work: listPairWork(evaluation, labels.pairs),
  }),
  read: readLabelResults,
};

async function readLabelResults(
  evaluation: StoredEvaluation,
  { pairs, work }: Sample<'labels'>,
): Promise<LabelResults | undefined> {
  const matchedPairs = await readMatchedPairs(evaluation, work);
  if (matchedPairs === undefined) return undefined;
  const matchers = matchedPairs.map(({ labels, ...name }) => ({
    ...name,
    labels: pairs.map((pair) => labels.get(hashPair(pair)) ?? null),
  }));
  return { human_labels: compareWithLabels(pairs, matchers) };
}

/**
 * Reads a file of pairs that people labeled, a JSON object a line. Of annotations (`cupid review`), only preferences count: requests that
 * reveal nothing, and qualification items by somebody else, say nothing about a matcher. A later line of the same rater about a task
 * replaces the earlier one.
 * @throws DataError that names the line and the field
 */
export async function readLabels(file: string): Promise<Labels> {
  const pairs = new Map<string, LabelledPair>();
  for await (const row of readJsonLines({ path: file, name: file })) {
    const place = `${file}, line ${row.number}`;
    if ('problem' in row) throw new DataError(`${place}: ${row.problem} ${LABELS_HINT}`);
    const pair = parseRow(labelledPairSchema, row.value, place, LABELS_HINT);
    const annotation = annotationKeySchema.safeParse(row.value).data;
    if (annotation === undefined) {
      pairs.set(place, pair);
      continue;
    }
    if (isPreferenceTask(annotation.task)) pairs.set(JSON.stringify(annotation), pair);
  }
  if (pairs.size === 0) throw new DataError(`${file} contains no pairs. ${LABELS_HINT}`);
  return { source: file, sha256: (await hashFile(file)).sha256, pairs: [...pairs.values()] };
}

/** Distinguishes an annotation from those of other tasks and raters. */
const annotationKeySchema = z.object({ task: z.string(), rater: z.string() });

const LABELS_HINT = `Each line is a JSON object with a preference, its checklist, and for each entry the labels of its raters: {"preference":"…","checklist":["…"],"labels":[["Fully Covered","Partially Covered","Fully Covered"]]}`;
