import { readStudies, writeStudies, type EvaluationPlan } from '../../data/run/evaluation-plan';
import { findCohorts } from '../../rules/sampling/cohorts';
import type { StudyResults } from '../../schemas/evaluation/results/studies';
import { STUDY_KINDS, type StudyKind } from '../../schemas/evaluation/studies';
import { readLocatedRows, type LocatedRow } from './located-rows';
import type { StoredEvaluation } from './outcomes';
import type { EvaluationOptions } from './options';
import { hasOpenCall } from './studies/calls';
import { ERRORS } from './studies/errors';
import { LABELS } from './studies/labels';
import { MISAPPLICATION } from './studies/misapplication';
import { REPEATS } from './studies/repeats';
import { STRESS } from './studies/stress';
import type { Requests, Samples, Study, StudyRequest } from './studies/study';
import { VERIFICATION } from './studies/verification';

/** How each kind of study is asked for, drawn and read. */
const STUDY_TABLE = {
  errors: ERRORS,
  repeats: REPEATS,
  labels: LABELS,
  stress: STRESS,
  misapplication: MISAPPLICATION,
  verification: VERIFICATION,
} satisfies { readonly [Kind in StudyKind]: Study<Kind> };

/** Returns the study of this kind. */
export function getStudy<Kind extends StudyKind>(kind: Kind): Study<Kind> {
  const studies: { readonly [Each in StudyKind]: Study<Each> } = STUDY_TABLE;
  return studies[kind];
}

/** Builds the request for the studies that a command's options ask for. @throws InputError, DataError */
export async function buildStudyRequest(
  options: EvaluationOptions,
  before: EvaluationPlan | undefined,
): Promise<StudyRequest> {
  return collect<Requests>((kind) => getStudy(kind).buildRequest(options, before));
}

/**
 * Draws the samples of the wanted studies from the outcomes of the trials, by the evaluation's seed, and stores them. Studies that are not
 * wanted now stay unchanged. Returns the studies with a sample.
 */
export async function planStudies(evaluation: StoredEvaluation, request: StudyRequest): Promise<StudyKind[]> {
  const cohorts = findCohorts(await evaluation.states());
  const rows = listKinds(request).some(isFromOutcomes) ? await readLocatedRows(evaluation) : [];
  const samples = await collect<Samples>((kind) => {
    const studyRequest = request[kind];
    return studyRequest === undefined
      ? undefined
      : getStudy(kind).draw({ evaluation, rows, cohorts }, studyRequest);
  });
  await writeStudies(evaluation.store, { ...(await readStudies(evaluation.store)), ...samples });
  return STUDY_KINDS.filter((kind) => (samples[kind]?.work ?? []).length > 0);
}

/**
 * Draws the stored studies again from the current outcomes of the trials, because a repeated inference or response is a new one. Returns
 * the studies with a sample.
 */
export async function redrawStudies(evaluation: StoredEvaluation): Promise<StudyKind[]> {
  const stored: StoredSamples = await readStudies(evaluation.store);
  const request = await collect<Requests>((kind) => {
    const sample = stored[kind];
    return sample && getStudy(kind).getRequest?.(sample);
  });
  const drawnKinds = await planStudies(evaluation, request);
  return STUDY_KINDS.filter((kind) => drawnKinds.includes(kind) || (kind in stored && !isFromOutcomes(kind)));
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
    for (const piece of work) if (await hasOpenCall(evaluation, piece)) return true;
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
  const studies: StoredSamples = await readStudies(evaluation.store);
  const results = await collect<Record<StudyKind, StudyResults>>((kind) => {
    const sample = studies[kind];
    return sample && getStudy(kind).read(evaluation, sample, rows);
  });
  return Object.values(results).reduce((collected, study) => ({ ...collected, ...study }), {});
}

/** Lists the kinds of studies that these name. */
export function listKinds(studies: Partial<Record<StudyKind, unknown>>): StudyKind[] {
  return STUDY_KINDS.filter((kind) => studies[kind] !== undefined);
}

/** Returns whether a study is drawn from the outcomes of trials. */
export function isFromOutcomes(kind: StudyKind): boolean {
  return getStudy(kind).getRequest !== undefined;
}

/** The stored samples; absent for a study that was not drawn. */
type StoredSamples = { readonly [Kind in StudyKind]?: Samples[Kind] | undefined };

/** Computes a value of each study, one after the other. Studies without one are left out. */
async function collect<Values extends Record<StudyKind, unknown>>(
  compute: <Kind extends StudyKind>(
    kind: Kind,
  ) => Promise<Values[Kind] | undefined> | Values[Kind] | undefined,
): Promise<{ readonly [Kind in StudyKind]?: Values[Kind] }> {
  const values: { readonly [Kind in StudyKind]?: Values[Kind] } = {};
  for (const kind of STUDY_KINDS) {
    const value = await compute(kind);
    if (value !== undefined) Object.assign(values, { [kind]: value });
  }
  return values;
}
