import { EVALUATION_STEP_FACTS, EVALUATION_STEPS, type EvaluationStep } from '../schemas/step';
import type { KeptCalls, Looked } from './outcomes';
import { callPlace } from './trials';

/** A call of evaluation, by its place in its trial. */
export interface TrialCall {
  readonly step: EvaluationStep;
  readonly turn: string;
}

/** True when a call is asked about another one's answer, directly or not: in the same trial, or in a study of it. */
export function isBuiltOn(call: TrialCall, on: TrialCall): boolean {
  if (!EVALUATION_STEP_FACTS[call.step].buildsOn.includes(on.step)) return false;
  // A match names in its turn whose decomposition it is about.
  return on.step !== 'decompose' || call.turn.startsWith(`${on.turn}.`);
}

/**
 * Those of the calls that have no answer any more, though later ones were built on it: their entries are lost or damaged. Asked again
 * in place, another answer would stand beside what was built on the first.
 */
export function lostCalls<Call extends Looked>(looked: readonly Call[], calls: KeptCalls): Call[] {
  const current = currentEntries(calls);
  return looked.filter(
    (call) =>
      call.found.state === 'open' &&
      (current.some((entry) => isBuiltOn(entry, call)) ||
        current.some((entry) => isSame(entry, call) && !isAsked(current, call, entry.ask - 1))),
  );
}

/** Every call of a workflow that is built on this one and was asked, in its latest revision, or gave nothing usable. */
export function builtOn(on: TrialCall, calls: KeptCalls): TrialCall[] {
  const asked = [...currentEntries(calls), ...calls.missing].filter((call) => isBuiltOn(call, on));
  return [...new Map(asked.map(({ step, turn }) => [callPlace(step, turn), { step, turn }])).values()];
}

interface AskedCall extends TrialCall {
  readonly ask: number;
}

/** The call that a key such as `run/i1/m1/full#g0.match.t1.e2.true.a0` names; with the ask, and how often it was superseded before. */
export function evaluationCallIn(key: string): (AskedCall & { readonly generation: number }) | undefined {
  const parts = /#g(?<generation>\d+)\.(?<step>[a-z]+)\.t(?<turn>.*)\.a(?<ask>\d+)$/.exec(key)?.groups;
  const step = EVALUATION_STEPS.find((one) => one === parts?.['step']);
  if (parts === undefined || step === undefined) return undefined;
  const { generation, turn = '', ask } = parts;
  return { step, turn, ask: Number(ask), generation: Number(generation) };
}

function currentEntries({ entries, generations = {} }: KeptCalls): AskedCall[] {
  return entries
    .flatMap(({ key }) => evaluationCallIn(key) ?? [])
    .filter(({ step, turn, generation }) => generation === (generations[callPlace(step, turn)] ?? 0));
}

function isSame(one: TrialCall, other: TrialCall): boolean {
  return one.step === other.step && one.turn === other.turn;
}

function isAsked(current: readonly AskedCall[], call: TrialCall, ask: number): boolean {
  return ask < 0 || current.some((one) => isSame(one, call) && one.ask === ask);
}
