import { parseStepKey, type ParsedKey } from '../../engine/journal/key';
import { EVALUATION_STEP_FACTS, EVALUATION_STEPS, type EvaluationStep } from '../../schemas/run/step';
import type { StoredCalls, CallLookup } from './outcomes';
import { formatCallPlace } from './trials';

/** A call of evaluation, by its place in its trial. */
export interface TrialCall {
  readonly step: EvaluationStep;
  readonly turn: string;
}

/** True when a call is asked about another one's answer, directly or not: in the same trial, or in a study of it. */
export function isDependent(call: TrialCall, on: TrialCall): boolean {
  if (!EVALUATION_STEP_FACTS[call.step].buildsOn.includes(on.step)) return false;
  // A match names in its turn whose decomposition, or which guess, it is about.
  if (on.step === 'guess') return call.turn === on.turn;
  return on.step !== 'decompose' || call.turn.startsWith(`${on.turn}.`);
}

/**
 * Those of the calls that have no answer any more, though later ones were built on it: their entries are lost or damaged. Asked again
 * in place, another answer would stand beside what was built on the first.
 */
export function listLostCalls<Call extends CallLookup>(lookups: readonly Call[], calls: StoredCalls): Call[] {
  const current = listCurrentEntries(calls);
  return lookups.filter(
    (call) =>
      call.found.state === 'open' &&
      (current.some((entry) => isDependent(entry, call)) ||
        current.some((entry) => isSame(entry, call) && !isAsked(current, call, entry.ask - 1))),
  );
}

/** Every call of a workflow that is built on this one and was asked, in its latest revision, or gave nothing usable. */
export function listDependentCalls(on: TrialCall, calls: StoredCalls): TrialCall[] {
  const asked = [...listCurrentEntries(calls), ...calls.missing].filter((call) => isDependent(call, on));
  return [...new Map(asked.map(({ step, turn }) => [formatCallPlace(step, turn), { step, turn }])).values()];
}

function listCurrentEntries({ entries, revisions = {} }: StoredCalls): ParsedKey<EvaluationStep>[] {
  return entries
    .flatMap(({ key }) => parseStepKey(key, EVALUATION_STEPS) ?? [])
    .filter(({ step, turn, revision }) => revision === (revisions[formatCallPlace(step, turn)] ?? 0));
}

function isSame(one: TrialCall, other: TrialCall): boolean {
  return one.step === other.step && one.turn === other.turn;
}

function isAsked(current: readonly ParsedKey<EvaluationStep>[], call: TrialCall, ask: number): boolean {
  return ask < 0 || current.some((one) => isSame(one, call) && one.ask === ask);
}
