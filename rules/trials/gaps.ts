import { parseStepKey, type ParsedKey, type TrialKey } from '../../engine/journal/key';
import type { StoredCalls } from '../../schemas/evaluation/evaluation';
import { EVALUATION_STEPS, type EvaluationStep } from '../../schemas/run/step';
import { OPEN, type EvaluationScriptPlan, type WorkResult } from '../method/evaluation-calls';
import type { EvaluationCall } from '../method/evaluation-rules';
import { isOpen, type FoundCall } from '../method/evaluation-reader';
import { followScriptSync, type Script } from '../method/script';
import { evaluateTrial } from '../method/trial';
import { countRetries, formatCallPlace, type NumberedMatcher } from '../method/evaluation-work';

/** A call of evaluation, by its place in its workflow. */
export interface EvaluationCallPlace {
  readonly step: EvaluationStep;
  readonly turn: string;
}

/** Begins the script of a piece of work. */
export type BeginScript = () => Script<WorkResult, EvaluationCall>;

/**
 * Begins the script of a trial that every model evaluates in every way, whatever the cells are now. It covers every call of the trial that may be
 * stored.
 */
export function beginFullTrial(plan: EvaluationScriptPlan, key: TrialKey): BeginScript {
  const numbers = plan.evaluators.map((_, at) => at + 1);
  const matchers = numbers.flatMap((number): NumberedMatcher[] => [
    { number, form: 'evaluator' },
    { number, form: 'prefmatcher' },
  ]);
  const inferences = numbers.map((decomposer) => ({ decomposer, matchers }));
  return () => evaluateTrial(plan, { ...key, inferences, judges: numbers, chooses: true });
}

/** Returns the calls that a script makes only after these are answered, whether made yet or not. */
export function listDependentCalls(
  begin: BeginScript,
  on: readonly EvaluationCallPlace[],
): EvaluationCallPlace[] {
  if (on.length === 0) return [];
  const independent = new Set(listCalls(begin(), on).map(formatCallPlace));
  return listCalls(begin(), []).filter((call) => !independent.has(formatCallPlace(call)));
}

/** Returns the SPECs of the models that a script asks for some calls and for all that depend on them, each once. */
export function listAskedSpecs(begin: BeginScript, on: readonly EvaluationCallPlace[]): string[] {
  const places = new Set([...on, ...listDependentCalls(begin, on)].map(formatCallPlace));
  const calls = listCalls(begin(), []).filter((call) => places.has(formatCallPlace(call)));
  return [...new Set(calls.map(({ spec }) => spec))];
}

/** Returns the calls of a workflow, or those among some, that were answered or gave nothing usable in their latest revision; each once. */
export function listAskedCalls(
  calls: StoredCalls,
  among?: readonly EvaluationCallPlace[],
): EvaluationCallPlace[] {
  const madeCalls = [...listCurrentEntries(calls), ...calls.missing];
  const places = new Map(
    madeCalls.map((call) => [formatCallPlace(call), { step: call.step, turn: call.turn }]),
  );
  return among === undefined
    ? [...places.values()]
    : among.filter((call) => places.has(formatCallPlace(call)));
}

/**
 * Returns the calls that lost their answer, though later ones were built on it: their entries are missing or damaged. A new answer in the same
 * place would not match the later calls.
 */
export function listLostCalls(
  begin: BeginScript,
  foundCalls: readonly FoundCall[],
  calls: StoredCalls,
): FoundCall[] {
  const current = listCurrentEntries(calls);
  const places = new Set(current.map(formatCallPlace));
  return foundCalls.filter((call) => {
    if (!isOpen(call) || places.size === 0) return false;
    const { attempt = 0 } = call;
    const place = formatCallPlace(call);
    return (
      current.some((entry) => formatCallPlace(entry) === place && entry.attempt > attempt) ||
      listDependentCalls(begin, [call]).some((dependent) => places.has(formatCallPlace(dependent)))
    );
  });
}

/** Returns the calls of a script if all but these are answered. */
function listCalls(
  script: ReturnType<BeginScript>,
  open: readonly EvaluationCallPlace[],
): (EvaluationCallPlace & Pick<EvaluationCall, 'spec'>)[] {
  const places = new Set(open.map(formatCallPlace));
  const { calls } = followScriptSync(script, ({ call }) =>
    places.has(formatCallPlace(call))
      ? { state: 'unanswered', kind: OPEN }
      : { state: 'good', facts: { isEmpty: false } },
  );
  return calls.map(({ call: { step, turn, spec } }) => ({ step, turn: String(turn), spec }));
}

function listCurrentEntries({ entries, revisions }: StoredCalls): ParsedKey<EvaluationStep>[] {
  return entries
    .flatMap(({ key }) => parseStepKey(key, EVALUATION_STEPS) ?? [])
    .filter((call) => call.revision === countRetries(call, revisions));
}
