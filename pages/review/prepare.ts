import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { z } from 'zod';
import { readInstances } from '../../data/readers/read';
import { readFileRows } from '../../data/readers/rows';
import type { DataSet } from '../../data/sets/data-set';
import { DataError } from '../../data/sets/error';
import type { OpenOptions } from '../../data/sets/open';
import { buildEvaluatedData } from '../../runs/evaluate/plan';
import { readPersonaChecklists, type PersonaChecklists } from '../../runs/evaluate/persona-checklists';
import {
  findVerification,
  findVerificationFolder,
  requireVerification,
  VERIFY_AGAIN,
} from '../../publishing/export/verified';
import { listReviewProblems, listReviewTasks, type QuotedItem } from '../../rules/review/tasks';
import type { VerifiedInstance } from '../../rules/verification/questions';
import type { ReviewPlan, ReviewTask } from '../../schemas/review/review';
import { VERIFICATION_FILES, verificationRowSchema } from '../../schemas/verification/verification';
import { openReviewStore, writeReviewPlan, writeReviewTasks } from './folder';
import { readParsedRows } from '../../data/readers/parquet-table';

/** Settings of a new review. */
export type ReviewSettings = Pick<ReviewPlan, 'seed' | 'raters' | 'third' | 'accept'>;

interface StartedReview {
  /** True if `cupid verify` has verified these data. */
  readonly isVerified: boolean;
  /** Number of instances that cannot be reviewed, by reason. */
  readonly problems: ReadonlyMap<string, number>;
}

/**
 * Starts the review of a data set: writes its tasks, with quotations if the data were verified, and then its plan.
 * Memory holds only the personas with unread rows.
 * @param options.verified the results folder of `cupid verify`, if it is not in the run folder
 * @throws DataError when the data have no instances, or rows are invalid
 */
export async function startReview(
  path: string,
  dataSet: DataSet,
  settings: ReviewSettings,
  { verified, ...options }: OpenOptions & { readonly verified?: string },
): Promise<StartedReview> {
  const evidence = await readEvidence(dataSet, verified);
  const counts: Counts = { instances: 0, tasks: 0, problems: new Map() };
  await writeReviewTasks(
    path,
    listTasks(dataSet, await readPersonaChecklists(dataSet, options), evidence, counts),
  );
  if (counts.tasks === 0) {
    throw new DataError(
      [`${dataSet.source} has no instances to review.`, ...counts.problems.keys()].join(' '),
    );
  }
  await writeReviewPlan(openReviewStore(path), {
    format: 1,
    id: `cupid-review-${randomUUID().slice(0, 8)}`,
    data: buildEvaluatedData(dataSet, counts.instances),
    ...settings,
    tasks: counts.tasks,
  });
  return { isVerified: evidence !== undefined, problems: counts.problems };
}

export interface Counts {
  instances: number;
  tasks: number;
  readonly problems: Map<string, number>;
}

/** Lists the tasks of a data set, and counts its instances. Memory holds only the personas with unread rows. */
export async function* listTasks(
  dataSet: DataSet,
  checklists: PersonaChecklists,
  evidence: Evidence | undefined,
  counts: Counts,
): AsyncGenerator<ReviewTask> {
  const toCome = await countRows(dataSet);
  const open = new Map<string, VerifiedInstance[]>();
  for await (const instance of readInstances(dataSet)) {
    const { persona_id: persona } = instance;
    counts.instances += 1;
    const own = [...(open.get(persona) ?? []), { instance, checklists: checklists.get(persona) }];
    open.set(persona, own);
    if (own.length < (toCome.get(persona) ?? 0)) continue;
    open.delete(persona);
    for (const problem of listReviewProblems(own)) {
      counts.problems.set(problem, (counts.problems.get(problem) ?? 0) + 1);
    }
    for (const task of listReviewTasks(own, evidence?.get(persona))) {
      counts.tasks += 1;
      yield task;
    }
  }
}

/** Counts the rows of each persona. */
async function countRows({ files }: DataSet): Promise<Map<unknown, number>> {
  const counts = new Map<unknown, number>();
  for (const file of files) {
    for await (const row of readFileRows(file, ['persona_id'])) {
      const persona = 'problem' in row ? undefined : personaSchema.safeParse(row.value).data?.persona_id;
      counts.set(persona, (counts.get(persona) ?? 0) + 1);
    }
  }
  return counts;
}

const personaSchema = z.object({ persona_id: z.string() });

/** Quotations of a model for the items of each persona. */
export type Evidence = ReadonlyMap<string, readonly QuotedItem[]>;

/** Reads the quotations for each persona's items. Undefined if these data were not verified. */
export async function readEvidence(
  dataSet: DataSet,
  verified: string | undefined,
): Promise<Evidence | undefined> {
  if (verified !== undefined) await requireVerification(verified, dataSet);
  else if ((await findVerification(dataSet)) === undefined) return undefined;
  const path = join(verified ?? (await findVerificationFolder(dataSet)), VERIFICATION_FILES.rows);
  const evidence = new Map<string, QuotedItem[]>();
  const rowSchema = verificationRowSchema.pick({ persona_id: true, items: true });
  for await (const { row } of readParsedRows(path, rowSchema, VERIFY_AGAIN)) {
    const { persona_id: persona, items } = row;
    const quoted = items.map(({ preference, item, quotations }) => ({ preference, item, quotations }));
    evidence.set(persona, [...(evidence.get(persona) ?? []), ...quoted]);
  }
  return evidence;
}
