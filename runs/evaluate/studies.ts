import { writeStudies, readStudies } from '../../data/run/evaluation-plan';
import { computeErrorShares, sampleLowF1, type ErrorShares } from '../../rules/analyses/errors';
import {
  computeJudgeReliability,
  sampleForRepeats,
  type JudgeReliability,
} from '../../rules/analyses/judge-reliability';
import { compareWithLabels, type LabelAnalysis } from '../../rules/analyses/labels';
import { isOpen, listCallsOf, type CallResult } from '../../rules/method/evaluation-reader';
import type { AnswerValues } from '../../rules/method/evaluation-rules';
import { findCohorts } from '../../rules/sampling/cohorts';
import { isPreferenceTask } from '../../rules/review/tasks';
import { formatResultName } from '../../rules/trials/rows';
import { getSpecNumber } from '../../rules/method/evaluation-work';
import type { ErrorType, ScoreRow } from '../../schemas/evaluation/evaluation';
import {
  STUDY_KINDS,
  type Studies,
  type StudyKind,
  type VerificationRequest,
} from '../../schemas/evaluation/evaluation-run';
import { type LabelledPair, labelledPairSchema } from '../../schemas/matching/labelled-pair';
import { readJudgements } from './judgements';
import { formatTrialKey, readLocatedRows, type LocatedRow } from './located-rows';
import { hashPair, listPairWork, readMatchedPairs } from './matched-pairs';
import type { StoredEvaluation } from './outcomes';
import { listMisapplications, readMisapplications, type MisapplicationResults } from './misapplication';
import { drawStress, readStressResults, type StressResults } from './stress';
import { drawVerification, hasOpenCall, readStudyCalls } from './verification';
import * as z from 'zod';
import { readJsonLines } from '../../data/readers/json-lines';
import { parseRow } from '../../data/readers/parse-row';
import { hashFile } from '../../data/store/files';
import { DataError } from '../../data/store/data-error';

/** Studies that a command asks for, besides the scores. */
export interface StudyRequest {
  readonly errors?: { readonly count: number; readonly labeller: string };
  /** Number of judgements of each sampled response. */
  readonly repeats?: number;
  readonly labels?: Labels;
  /** Number of personas on which matchers and judges are tested. */
  readonly stress?: number;
  /** Judges responses to contrastive rows on the preference that does not apply. */
  readonly misapplication?: true;
  /** The personas whose instances are verified. */
  readonly verification?: VerificationRequest;
}

/** Number of responses of each cell that are judged again. */
const REPEATED_RESPONSES = 50;

/** Results of the studies; each is present once it is finished. */
export interface StudyResults extends Partial<StressResults & MisapplicationResults> {
  readonly error_types?: readonly ErrorShares[];
  readonly judge_reliability?: readonly JudgeReliability[];
  readonly human_labels?: LabelAnalysis;
  /** Basis of the first two. */
  readonly labelled_errors?: readonly LabelledInference[];
  readonly repeated_scores?: readonly RepeatedJudgements[];
}

type InstanceKey = Pick<ScoreRow, 'persona_id' | 'instance_type' | 'model' | 'context'>;

/** An inference, and the kind of its error; null if the labeller gave no usable answer. */
interface LabelledInference
  extends InstanceKey, Pick<ScoreRow, 'evaluator' | 'evaluator_form' | 'decomposer'> {
  readonly labeller: string;
  readonly type: ErrorType | null;
  readonly explanation: string | null;
}

/** A response, and its scores from one judge, beginning with the counted one; null for a judgement without a score. */
interface RepeatedJudgements extends InstanceKey {
  readonly evaluator: string;
  readonly scores: readonly (number | null)[];
  readonly response_tokens: number | null;
}

/**
 * Draws the samples of the wanted studies from the outcomes of the trials, by the evaluation's seed, and stores them. Studies that are not
 * wanted now stay unchanged. Returns the studies with a sample.
 */
export async function planStudies(evaluation: StoredEvaluation, request: StudyRequest): Promise<StudyKind[]> {
  const { errors, repeats, labels, stress, misapplication, verification } = request;
  const drawn: Studies = {};
  const rows =
    (errors ?? repeats ?? stress ?? misapplication) === undefined ? [] : await readLocatedRows(evaluation);
  const { seed } = evaluation.inputs.settings;
  const cohorts = findCohorts(await evaluation.states());
  if (repeats !== undefined) {
    const sample = sampleForRepeats(rows, REPEATED_RESPONSES, seed, cohorts);
    const work = sample.map(({ place: { key, judge, response } }) => ({
      kind: 'repeats' as const,
      ...key,
      judge,
      response,
      times: repeats,
    }));
    drawn.repeats = { times: repeats, work };
  }
  if (errors !== undefined) {
    const labeller = getSpecNumber(evaluation.inputs.evaluators, errors.labeller);
    const sample = sampleLowF1(rows, errors.count, seed, cohorts);
    // An inference that is low with several matchers is labelled once.
    const once = new Map(sample.map(({ place }) => [formatTrialKey(place.key), place]));
    const work = [...once.values()].map(({ key, inference }) => ({
      kind: 'error' as const,
      ...key,
      inference,
      labeller,
    }));
    drawn.errors = { ...errors, drawn: sample.map(formatRow), work };
  }
  if (labels !== undefined) {
    // A pair with labels of several people on separate lines is matched once.
    const work = listPairWork(evaluation, labels.pairs);
    drawn.labels = { ...labels, pairs: [...labels.pairs], work };
  }
  if (stress !== undefined) drawn.stress = await drawStress(evaluation, stress, rows);
  if (misapplication === true) drawn.misapplication = await listMisapplications(evaluation, rows);
  if (verification !== undefined) drawn.verification = await drawVerification(evaluation, verification);
  await writeStudies(evaluation.store, { ...(await readStudies(evaluation.store)), ...drawn });
  return STUDY_KINDS.filter((kind) => (drawn[kind]?.work ?? []).length > 0);
}

/**
 * Draws the stored studies again from the current outcomes of the trials, because a repeated inference or response is a new one. Returns
 * the studies with a sample.
 */
export async function redrawStudies(evaluation: StoredEvaluation): Promise<StudyKind[]> {
  const { errors, repeats, stress, misapplication, ...others } = await readStudies(evaluation.store);
  const drawn = await planStudies(evaluation, {
    ...(errors === undefined ? {} : { errors: { count: errors.count, labeller: errors.labeller } }),
    ...(repeats === undefined ? {} : { repeats: repeats.times }),
    ...(stress === undefined ? {} : { stress: stress.count }),
    ...(misapplication === undefined ? {} : { misapplication: true }),
  });
  return STUDY_KINDS.filter((kind) => drawn.includes(kind) || kind in others);
}

/** Returns whether a study of these kinds has not been drawn yet, or has calls without an answer. */
export async function hasOpenStudies(
  evaluation: StoredEvaluation,
  kinds: readonly StudyKind[],
): Promise<boolean> {
  const studies = await readStudies(evaluation.store);
  for (const kind of kinds) {
    const { work } = studies[kind] ?? {};
    if (work === undefined) return true;
    for (const one of work) if (await hasOpenCall(evaluation, one)) return true;
  }
  return false;
}

/**
 * Reads the results of the studies, without unfinished ones.
 * @param rows those of every trial
 */
export async function readStudyResults(
  evaluation: StoredEvaluation,
  rows: readonly LocatedRow[],
): Promise<StudyResults> {
  const { errors, repeats, labels, stress, misapplication } = await readStudies(evaluation.store);
  return {
    ...(errors === undefined ? {} : await readErrorResults(evaluation, errors, rows)),
    ...(repeats === undefined ? {} : await readRepeatResults(evaluation, repeats, rows)),
    ...(labels === undefined ? {} : await readLabelResults(evaluation, labels)),
    ...(stress === undefined ? {} : await readStressResults(evaluation, stress, rows)),
    ...(misapplication === undefined ? {} : await readMisapplications(evaluation, misapplication, rows)),
  };
}

async function readErrorResults(
  evaluation: StoredEvaluation,
  { labeller, drawn, work }: NonNullable<Studies['errors']>,
  rows: readonly LocatedRow[],
): Promise<StudyResults> {
  const found = new Map<string, CallResult<AnswerValues['classify']> | undefined>();
  for (const one of work) {
    const calls = await readStudyCalls(evaluation, one);
    if (calls.some(isOpen)) return {};
    found.set(formatTrialKey(one), listCallsOf(calls, 'classify')[0]?.found);
  }
  const name = formatResultName(evaluation.inputs.evaluators, labeller);
  const sampled = new Set(drawn);
  const labelled = rows
    // A row that has changed since the sample was drawn has another number.
    .filter((row) => sampled.has(formatRow(row)) && found.has(formatTrialKey(row.place.key)))
    .map((row) => {
      const error = found.get(formatTrialKey(row.place.key));
      return { row, value: error?.state === 'given' ? error.value : null };
    });
  return {
    error_types: computeErrorShares(
      labelled.map(({ row, value }) => ({ ...row, type: value?.type ?? null })),
    ),
    labelled_errors: labelled.map(({ row, value }) => ({
      ...getInstanceKey(row),
      evaluator: row.evaluator,
      evaluator_form: row.evaluator_form,
      decomposer: row.decomposer,
      labeller: name,
      type: value?.type ?? null,
      explanation: value?.explanation ?? null,
    })),
  };
}

async function readRepeatResults(
  evaluation: StoredEvaluation,
  { work }: NonNullable<Studies['repeats']>,
  rows: readonly LocatedRow[],
): Promise<StudyResults> {
  const again = await readJudgements(evaluation, work, rows);
  if (again === undefined) return {};
  const judged = again.map(({ row, scores }): RepeatedJudgements => {
    const { evaluator, response_tokens } = row;
    return { ...getInstanceKey(row), evaluator, scores: [row.score, ...scores], response_tokens };
  });
  return { judge_reliability: computeJudgeReliability(judged), repeated_scores: judged };
}

async function readLabelResults(
  evaluation: StoredEvaluation,
  { pairs, work }: NonNullable<Studies['labels']>,
): Promise<StudyResults> {
  const matched = await readMatchedPairs(evaluation, work);
  if (matched === undefined) return {};
  const matchers = matched.map(({ labels, ...name }) => ({
    ...name,
    labels: pairs.map((pair) => labels.get(hashPair(pair)) ?? null),
  }));
  return { human_labels: compareWithLabels(pairs, matchers) };
}

/** Formats a key that distinguishes a row from every other. */
function formatRow(row: ScoreRow): string {
  const { persona_id, instance_type, task, model, context, evaluator, evaluator_form, decomposer } = row;
  return JSON.stringify([
    persona_id,
    instance_type,
    task,
    model,
    context,
    evaluator,
    evaluator_form,
    decomposer,
  ]);
}

function getInstanceKey({ persona_id, instance_type, model, context }: ScoreRow): InstanceKey {
  return { persona_id, instance_type, model, context };
}

/** Pairs that people labelled, and the file they are from. */
export interface Labels {
  readonly source: string;
  readonly sha256: string;
  readonly pairs: readonly LabelledPair[];
}

/**
 * Reads a file of pairs that people labelled, a JSON object a line. Of annotations (`cupid review`), only preferences count: requests that
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
