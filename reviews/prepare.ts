import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { readInstances } from '../data/readers/read';
import { parseRow } from '../data/readers/parse-row';
import { readParquetRows } from '../data/readers/parquet/rows';
import type { DataSet } from '../data/sets/data-set';
import { DataError } from '../data/sets/error';
import type { OpenOptions } from '../data/sets/open';
import { buildEvaluatedData } from '../evaluations/plan';
import { readPersonaChecklists } from '../evaluations/persona-checklists';
import { findVerification, findVerificationFolder } from '../publishing/export/verified';
import { listReviewTasks } from '../rules/review/tasks';
import type { VerifiedInstance } from '../rules/verification/questions';
import type { ReviewPlan, ReviewTask } from '../schemas/review/review';
import {
  VERIFICATION_FILES,
  verificationRowSchema,
  type ItemEvidence,
} from '../schemas/verification/verification';

/** What a review is to be. */
export type ReviewSettings = Pick<ReviewPlan, 'seed' | 'raters' | 'third' | 'accept'>;

/**
 * Plans the review of a data set: its tasks, with what `cupid verify` quoted for them where it verified these data.
 * @throws DataError when it has no instances, or its rows are not sound
 */
export async function planReview(
  dataSet: DataSet,
  settings: ReviewSettings,
  options: OpenOptions,
): Promise<{ plan: ReviewPlan; tasks: ReviewTask[]; isVerified: boolean }> {
  const checklists = await readPersonaChecklists(dataSet, options);
  const personas = new Map<string, VerifiedInstance[]>();
  let instances = 0;
  for await (const instance of readInstances(dataSet)) {
    const { persona_id: persona } = instance;
    instances += 1;
    personas.set(persona, [
      ...(personas.get(persona) ?? []),
      { instance, checklists: checklists.get(persona) },
    ]);
  }
  const evidence = await readEvidence(dataSet);
  const tasks = [...personas].flatMap(([persona, own]) => listReviewTasks(own, evidence?.get(persona)));
  if (tasks.length === 0) throw new DataError(`${dataSet.source} has no instances to review.`);
  const plan: ReviewPlan = {
    format: 1,
    id: `cupid-review-${randomUUID().slice(0, 8)}`,
    data: buildEvaluatedData(dataSet, instances),
    ...settings,
    tasks: tasks.length,
  };
  return { plan, tasks, isVerified: evidence !== undefined };
}

/** By persona what a model quoted for its items; undefined where these data were not verified. */
async function readEvidence(dataSet: DataSet): Promise<Map<string, ItemEvidence[]> | undefined> {
  if ((await findVerification(dataSet)) === undefined) return undefined;
  const path = join(findVerificationFolder(dataSet), VERIFICATION_FILES.rows);
  const evidence = new Map<string, ItemEvidence[]>();
  const rowSchema = verificationRowSchema.pick({ persona_id: true, items: true });
  for await (const { number, value } of readParquetRows({ path, name: path }, Object.keys(rowSchema.shape))) {
    const { persona_id: persona, items } = parseRow(
      rowSchema,
      value,
      `${path}, row ${number}`,
      'Repeat the cupid verify command, which writes its results again.',
    );
    evidence.set(persona, [...(evidence.get(persona) ?? []), ...items]);
  }
  return evidence;
}
