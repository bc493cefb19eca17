import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import * as z from 'zod';
import { readInstances } from '../../data/sets/read';
import { readFileRows } from '../../data/readers/rows';
import type { DataSet } from '../../data/sets/data-set';
import { DataError } from '../../data/store/data-error';
import type { OpenOptions } from '../../data/sets/open';
import { buildEvaluatedData } from '../evaluate/plan';
import {
  readPersonaChecklists,
  readRunRecords,
  type PersonaChecklists,
} from '../evaluate/persona-checklists';
import {
  findVerification,
  findVerificationFolder,
  requireVerification,
  VERIFY_AGAIN,
} from '../../data/sets/verification';
import { drawReviewSample } from '../../rules/review/sample';
import { listReviewProblems, listReviewTasks, type QuotedItem } from '../../rules/review/tasks';
import type { VerifiedInstance } from '../../rules/method/verification-questions';
import type { ReviewPlan, ReviewTask } from '../../schemas/review/review';
import { FOLDER_FORMAT } from '../../schemas/run/folder-format';
import { VERIFICATION_FILES, verificationRowSchema } from '../../schemas/verification/verification';
import { openReviewStore } from '../folder/review-store';
import { writeReviewPlan, writeReviewTasks } from './folder';
import { readParsedRows } from '../../data/readers/parquet-table';

/** Settings of a new review. */
export type ReviewSettings = Pick<ReviewPlan, 'seed' | 'raters' | 'third' | 'accept'>;

interface StartOptions {
  /** The results folder of `cupid verify`, if it is not in the run folder. */
  readonly verified?: string;
  /** Number of personas to draw; absent for all. */
  readonly sample?: number;
}

interface StartedReview {
  /** True if `cupid verify` has verified these data. */
  readonly isVerified: boolean;
  /** Number of instances that cannot be reviewed, by reason. */
  readonly problems: ReadonlyMap<string, number>;
}

/**
 * Starts the review of a data set: writes its tasks, with quotations if the data were verified, and then its plan.
 * Memory holds only the personas with unread rows.
 * @throws DataError when the data have no instances, or rows are invalid
 */
export async function startReview(
  path: string,
  dataSet: DataSet,
  settings: ReviewSettings,
  { verified, sample: size, ...options }: OpenOptions & StartOptions,
): Promise<StartedReview> {
  const evidence = await readEvidence(dataSet, verified);
  const counts: Counts = { instances: 0, tasks: 0, problems: new Map() };
  const sample = size === undefined ? null : await drawSample(dataSet, size, settings.seed, options);
  await writeReviewTasks(
    path,
    listTasks(dataSet, sample, await readPersonaChecklists(dataSet, options), evidence, counts),
  );
  if (counts.tasks === 0) {
    throw new DataError(
      [`${dataSet.source} has no instances to review.`, ...counts.problems.keys()].join(' '),
    );
  }
  await writeReviewPlan(openReviewStore(path), {
    format: FOLDER_FORMAT,
    id: `cupid-review-${randomUUID().slice(0, 8)}`,
    data: buildEvaluatedData(dataSet, counts.instances),
    ...settings,
    sample,
    tasks: counts.tasks,
  });
  return { isVerified: evidence !== undefined, problems: counts.problems };
}

export interface Counts {
  instances: number;
  tasks: number;
  readonly problems: Map<string, number>;
}

/** Types of each persona's instances. */
type InstanceTypes = ReadonlyMap<string, readonly string[]>;

/**
 * Lists the tasks of a data set, and counts its instances. Memory holds only the personas with unread rows.
 * @param sample the personas that were drawn; null for all
 */
export async function* listTasks(
  dataSet: DataSet,
  sample: ReviewPlan['sample'],
  checklists: PersonaChecklists,
  evidence: Evidence | undefined,
  counts: Counts,
): AsyncGenerator<ReviewTask> {
  const types = await readInstanceTypes(dataSet);
  const sampledPersonas = new Set(sample?.personas ?? types.keys());
  const open = new Map<string, VerifiedInstance[]>();
  for await (const instance of readInstances(dataSet)) {
    const { persona_id: persona } = instance;
    counts.instances += 1;
    if (!sampledPersonas.has(persona)) continue;
    const instances = [...(open.get(persona) ?? []), { instance, checklists: checklists.get(persona) }];
    open.set(persona, instances);
    if (instances.length < (types.get(persona)?.length ?? 0)) continue;
    open.delete(persona);
    for (const problem of listReviewProblems(instances)) {
      counts.problems.set(problem, (counts.problems.get(problem) ?? 0) + 1);
    }
    for (const task of listReviewTasks(instances, evidence?.get(persona))) {
      counts.tasks += 1;
      yield task;
    }
  }
}

/** Reads the type of each row of each persona. */
async function readInstanceTypes({ files }: DataSet): Promise<InstanceTypes> {
  const types = new Map<string, string[]>();
  for (const file of files) {
    for await (const row of readFileRows(file, Object.keys(typeSchema.shape))) {
      const parsedRow = 'problem' in row ? undefined : typeSchema.safeParse(row.value).data;
      if (parsedRow === undefined) continue;
      types.set(parsedRow.persona_id, [...(types.get(parsedRow.persona_id) ?? []), parsedRow.instance_type]);
    }
  }
  return types;
}

const typeSchema = z.object({ persona_id: z.string(), instance_type: z.string() });

/** Draws personas by the types of their instances and, in a run, by those of their current factor and preference. */
async function drawSample(
  dataSet: DataSet,
  size: number,
  seed: number,
  options: OpenOptions,
): Promise<NonNullable<ReviewPlan['sample']>> {
  const ofRun = new Map<string, readonly string[]>();
  for await (const { persona_id, context_factors: factors, sessions } of readRunRecords(dataSet, options)) {
    const current = sessions.at(-1)?.context_factor;
    const currentFactor = factors.find(({ factor }) => factor === current);
    if (currentFactor !== undefined) {
      ofRun.set(persona_id, [
        `factor: ${currentFactor.factor_type}`,
        `preference: ${currentFactor.preference_type}`,
      ]);
    }
  }
  const personas = [...(await readInstanceTypes(dataSet))].map(([persona_id, types]) => ({
    persona_id,
    types: [...types, ...(ofRun.get(persona_id) ?? [])],
  }));
  const drawnPersonas = drawReviewSample(personas, size, seed);
  return { size, all: personas.length, personas: drawnPersonas.map(({ persona_id }) => persona_id) };
}

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
    const quotedItems = items.map(({ preference, item, quotations }) => ({ preference, item, quotations }));
    evidence.set(persona, [...(evidence.get(persona) ?? []), ...quotedItems]);
  }
  return evidence;
}
