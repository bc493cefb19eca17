import { buildTrialId, type AnswerRef, type TrialKey } from '../../engine/journal/key';
import {
  LISTS,
  buildMatchTurn,
  buildTrialWork,
  getSpec,
  type InferenceWork,
  type NumberedMatcher,
  type TrialWork,
} from './evaluation-work';
import {
  Asker,
  getEvaluator,
  placeStep,
  type EvaluationScriptPlan,
  type HistoryRefs,
  type InferenceRefs,
  type PlacedStep,
  type WorkResult,
} from './evaluation-calls';
import type { EvaluationInputs } from '../../schemas/evaluation/evaluation-run';
import { getContextForm, type ContextForm } from '../../schemas/evaluation/context';
import { groupBy } from '../group-by';
import { OutdatedPlan } from '../../schemas/run/outdated-plan';
import { all, type Script } from './script';

/** A call of a trial, with the references that its request is built from. */
export type TrialCall =
  | (PlacedStep<'summarize'> & Pick<HistoryRefs, 'trial'>)
  | (PlacedStep<'recall'> & Pick<HistoryRefs, 'trial'>)
  | (PlacedStep<'infer'> & HistoryRefs)
  | (PlacedStep<'choose'> & HistoryRefs)
  | (PlacedStep<'respond'> & HistoryRefs)
  | (PlacedStep<'decompose'> & InferenceRefs)
  | MatchCall
  | JudgeCall;

/** The entries of one checklist are matched with the other preference. */
type MatchCall = PlacedStep<'match'> &
  InferenceRefs & {
    readonly of: 'inference';
    readonly decomposer: number;
    readonly decomposition: AnswerRef;
    readonly matcher: NumberedMatcher;
    readonly list: 'inferred' | 'true';
  };

/** A response is judged. */
export type JudgeCall = PlacedStep<'judge'> & {
  readonly trial: TrialKey;
  readonly response: AnswerRef;
  /** The number of the judging, from 1. */
  readonly repetition: number;
  /** The row whose preference and checklist count, or the contrastive preference; absent for the trial's own. */
  readonly target?: number | 'contrastive';
};

/**
 * Evaluates one model on one instance (paper, 2.2 and 2.3). It infers the preference, which is decomposed and matched in both directions; it
 * responds to the request, and the response is judged; it chooses among preferences. These requests begin with the same history, so one is made
 * after the other, while the provider has it in its cache. A model that is given summaries writes them first; a memory system that replaces the
 * history is asked first.
 * @throws CallsFailed for failures that no answer of a model caused
 */
export function* evaluateTrial(
  plan: EvaluationScriptPlan,
  work: TrialWork,
): Script<WorkResult<TrialCall>, TrialCall> {
  const { inferences, judges, chooses = false, revisions, ...key } = work;
  const asker = new Asker<TrialCall>(plan);
  const place = {
    workflowId: buildTrialId(plan.run, key),
    ...(revisions === undefined ? {} : { revisions }),
  };
  const model = getSpec(plan.models, key.model);

  function* evaluateInference(
    inference: string,
    { decomposer, matchers }: InferenceWork,
  ): Script<void, TrialCall> {
    const refs = { trial: key, inference };
    const spec = getEvaluator(plan, decomposer);
    const decomposed = yield* asker.need({ ...placeStep(place, 'decompose', decomposer, spec), ...refs });
    if (decomposed === undefined) return;
    const { ref: decomposition } = decomposed;
    yield* all(
      matchers.flatMap((matcher) =>
        LISTS.map((list) => {
          const turn = buildMatchTurn(decomposer, matcher, list);
          const match = placeStep(place, 'match', turn, getEvaluator(plan, matcher.number));
          return asker.need({ ...match, ...refs, of: 'inference', decomposer, decomposition, matcher, list });
        }),
      ),
    );
  }

  function* respond(): Script<void, TrialCall> {
    const responded = yield* asker.need({ ...placeStep(place, 'respond', 0, model), ...history });
    if (responded === undefined) return;
    const { ref: response } = responded;
    yield* all(
      judges.map((judge) => {
        const call = placeStep(place, 'judge', judge, getEvaluator(plan, judge));
        return asker.need({ ...call, trial: key, response, repetition: 1 });
      }),
    );
  }

  const step = PREPARATIONS[getContextForm(key.context)];
  const prepared =
    step === undefined
      ? undefined
      : yield* asker.need({
          ...placeStep(place, step, 0, step === 'recall' ? getMemory(plan) : model),
          trial: key,
        });
  if (step !== undefined && prepared === undefined) return asker;
  const history = {
    trial: key,
    isShared: [inferences.length > 0, judges.length > 0, chooses].filter(Boolean).length > 1,
    ...(prepared === undefined ? {} : { prepared: prepared.ref }),
  };
  const inferred =
    inferences.length > 0
      ? yield* asker.need({ ...placeStep(place, 'infer', 0, model), ...history })
      : undefined;
  if (chooses) yield* asker.need({ ...placeStep(place, 'choose', 0, model), ...history });
  const inference = inferred === undefined || inferred.facts.isEmpty ? undefined : inferred.ref;
  yield* all([
    ...(inference === undefined
      ? []
      : inferences.map((inferenceWork) => evaluateInference(inference, inferenceWork))),
    ...(judges.length > 0 ? [respond()] : []),
  ]);
  return asker;
}

/** Counts the calls of a trial, if each is answered well and an inference is not empty. */
export function countCalls({ inferences, judges, chooses = false, context }: TrialWork): number {
  const evaluating = inferences.map(({ matchers }) => 1 + LISTS.length * matchers.length);
  return [
    PREPARATIONS[getContextForm(context)] === undefined ? 0 : 1,
    inferences.length > 0 ? 1 : 0,
    chooses ? 1 : 0,
    ...evaluating,
    judges.length > 0 ? 1 + judges.length : 0,
  ].reduce((sum, calls) => sum + calls, 0);
}

/** Computes the mean number of calls of an evaluation's trials: over its models and forms of the history, which have about as many instances. */
export function computeCallsPerTrial(inputs: Pick<EvaluationInputs, 'evaluators' | 'cells'>): number {
  const arms = groupBy(inputs.cells, ({ model, context }) => `${model}\n${context}`);
  let calls = 0;
  for (const [first, ...otherCells] of arms.values()) {
    if (first === undefined) continue;
    const trial = { instance: 0, model: 0, context: first.context, cells: [first, ...otherCells] };
    calls += countCalls(buildTrialWork(inputs, trial));
  }
  return calls / Math.max(1, arms.size);
}

/** The step that makes what a trial is shown instead of the history. */
const PREPARATIONS: Readonly<Partial<Record<ContextForm | 'preference', 'summarize' | 'recall'>>> = {
  summary: 'summarize',
  memory: 'recall',
};

/** @throws OutdatedPlan for a trial with a memory system that the plan does not name */
function getMemory({ memory }: EvaluationScriptPlan): string {
  if (memory === undefined) throw new OutdatedPlan('This evaluation names no memory system.');
  return memory;
}
