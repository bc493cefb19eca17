import { EMPTY_LOG, renderInteractionLog, renderSummaryLog } from '../../data/prompts/evaluation-values';
import type { CheckResult } from '../../rules/answers/form/checks';
import { buildAnswerReading } from '../../rules/answers/evaluation/by-step';
import { deriveSeedPlace as placeInRevision } from '../../engine/journal/revisions';
import {
  buildTrialWorkflowId,
  type CallKey,
  type TrialKey,
  buildRefKey,
  type AnswerRef,
} from '../../engine/journal/key';
import { isRelevant } from '../../rules/instances/relevance';
import { formatModelName } from '../../schemas/model/model-spec';
import type { EvaluationStep } from '../../schemas/run/step';
import { readAccepted, type Question } from '../ask-model';
import { buildHistoryHint } from '../cache-hints';
import type { EvaluationFiles, DecompositionRefs, HistoryRefs, InferenceRefs, Place } from './inputs';

/** What the answers so far say, read back from the journal by reference. */

/** How a call is asked, and of whom: to be spread into its question. */
export function buildStepQuestion(
  run: EvaluationFiles,
  { workflowId, generation: revision, ask }: Pick<Place, 'workflowId' | 'generation' | 'ask'>,
  step: EvaluationStep,
  spec: string | undefined,
): Pick<
  Question<unknown>,
  'step' | 'spec' | 'limits' | 'takesCut' | 'takesRaw' | 'workflowId' | 'revision' | 'ask'
> {
  if (spec === undefined)
    throw new Error(`Evaluation ${run.id} has no model with the number that step ${step} names.`);
  const { takesCut, takesRaw } = getAnswerReading(run);
  const limits = run.settings.steps[step];
  return { step, spec, limits, takesCut: takesCut.has(step), takesRaw, workflowId, revision, ask };
}

/** The same for a call of a trial, with its place in the seeds. */
export async function buildTrialCall(
  run: EvaluationFiles,
  input: Place,
  step: EvaluationStep,
  spec: string | undefined,
) {
  return { ...buildStepQuestion(run, input, step, spec), place: await deriveSeedPlace(run, input) };
}

export function getAnswerReading({ settings }: EvaluationFiles) {
  return buildAnswerReading(settings.referenceCompatible);
}

/**
 * What distinguishes a trial's calls from all others in their seeds, in any folder and row: a model has the same
 * answers alone and beside others.
 */
async function deriveSeedPlace(
  run: EvaluationFiles,
  { instance, model, given, generation: revision }: Place,
): Promise<readonly (string | number)[]> {
  const { persona_id, instance_type } = (await run.instance(instance)).instance;
  const name = formatModelName(run.inputs.models[model - 1] ?? '');
  return placeInRevision([persona_id, instance_type, given, name], revision);
}

/** The history as the model under test is shown it. */
export async function renderHistory(run: EvaluationFiles, refs: Place & HistoryRefs): Promise<string> {
  const { instance } = await run.instance(refs.instance);
  const sessions = instance.prior_interactions;
  if (refs.given === 'full') return renderInteractionLog(sessions);
  if (refs.given === 'oracle') {
    return renderInteractionLog(sessions.filter((session) => isRelevant(session, instance)));
  }
  if (refs.given !== 'summary') return EMPTY_LOG;
  if (refs.summary === undefined) throw new Error('A trial with context "summary" has no summaries.');
  const summaries = await readAnswer(run, refs, 'summarize', 0, refs.summary, (text) =>
    getAnswerReading(run).summary(text, sessions.length),
  );
  return renderSummaryLog(summaries);
}

/** The cache hint of a request with a history, where the trial shows the same history in two requests. */
export function buildHistoryCache(
  { prompts }: EvaluationFiles,
  { run, instance, given, bothTasks }: Place & HistoryRefs,
  values: Readonly<Record<string, string>>,
): Pick<Question<unknown>, 'cache'> {
  const cache = bothTasks ? buildHistoryHint([run, instance, given], prompts, values) : undefined;
  return cache === undefined ? {} : { cache };
}

export async function readInference(run: EvaluationFiles, refs: TrialKey & InferenceRefs): Promise<string> {
  return readAnswer(run, refs, 'infer', 0, refs.inference, getAnswerReading(run).inference);
}

export async function readDecomposition(
  run: EvaluationFiles,
  refs: TrialKey & DecompositionRefs,
): Promise<string[]> {
  return readAnswer(
    run,
    refs,
    'decompose',
    refs.decomposer,
    refs.decomposition,
    getAnswerReading(run).checklist,
  );
}

export async function readResponse(
  run: EvaluationFiles,
  refs: TrialKey & { readonly response: AnswerRef },
): Promise<string> {
  return readAnswer(run, refs, 'respond', 0, refs.response, getAnswerReading(run).response);
}

async function readAnswer<T>(
  run: EvaluationFiles,
  trial: TrialKey,
  step: EvaluationStep,
  turn: CallKey['turn'],
  ref: AnswerRef,
  check: (text: string) => CheckResult<T>,
): Promise<T> {
  const key = buildRefKey(buildTrialWorkflowId(run.id, trial), step, turn, ref);
  return (await readAccepted(run, key, check, 'evaluation', getAnswerReading(run).takesRaw)).value;
}
