import type { JournalEntry } from '../../schemas/run/journal';
import type { RunInputs } from '../../schemas/run/run';
import { SYNTHESIS_STEPS } from '../../schemas/run/step';
import type { RunPlan } from '../../data/run/inputs';
import {
  isCovered,
  computeRevision,
  type DescriptionBatch,
  type RestartableCall,
} from '../../engine/journal/revisions';
import { buildJournalKey, parseStepKey } from '../../engine/journal/key';
import { parseWork } from '../../engine/journal/work';
import { describePersonas, synthesizePersona } from '../../rules/method/persona';
import { openAnswers, readScript } from '../../rules/method/reader';
import type { Script } from '../../rules/method/script';
import { SynthesisAnswers } from '../../rules/method/synthesis-answers';
import type { SynthesisCall, SynthesisScriptPlan } from '../../rules/method/synthesis-calls';

/** A call without an answer on which later calls depend: it must be repeated together with them. */
export interface JournalGap {
  readonly call: RestartableCall;
  readonly key: string;
}

/** The part of a synthesis run that its journal is checked against. */
export interface RecordedRun extends Pick<RunPlan, 'templates'> {
  readonly inputs: Pick<RunInputs, 'id' | 'settings' | 'restarts'>;
}

/**
 * Follows the scripts of a persona through its answers, and finds a missing one on which others depend. A missing last answer is no gap:
 * the continued run asks for it under the same key.
 * @param entries the intact entries of the run's workflow, the persona's and its dialogues'
 */
export async function findGaps(
  { inputs, templates }: RecordedRun,
  persona: number,
  batch: DescriptionBatch,
  entries: readonly JournalEntry[],
): Promise<JournalGap[]> {
  const { id, settings, restarts } = inputs;
  const byKey = new Map(entries.map((entry) => [entry.key, entry]));
  // A note about an attempt without an answer, such as a damaged entry, does not matter: it is a gap if others depend on it.
  const recorded = { find: async (key: string) => byKey.get(key), findUnanswered: async () => undefined };
  const run = { id, settings, templates: new Map(templates.map((template) => [template.id, template])) };
  const answers = new SynthesisAnswers(run, openAnswers(recorded));
  const { next } = await readScript(
    followPersona({ run: id, settings, restarts }, persona, batch),
    answers,
    recorded,
  );
  const askedCalls = entries
    .flatMap(({ key }) => callOf(id, persona, key) ?? [])
    .filter(({ revision, ...call }) => revision === computeRevision(restarts, call));
  return next.flatMap(({ call: { step, turn, ...call }, number: attempt }): JournalGap[] => {
    const session = 'session' in call ? call.session : undefined;
    const missing = { persona, ...(session === undefined ? {} : { session }), step, turn };
    // Two calls that cover each other are the same.
    const isBuiltOn = askedCalls.some(
      (askedCall) =>
        isCovered(missing, askedCall) && (!isCovered(askedCall, missing) || askedCall.attempt > attempt),
    );
    return isBuiltOn ? [{ call: missing, key: buildJournalKey({ ...call, step, turn, attempt }) }] : [];
  });
}

function* followPersona(
  plan: SynthesisScriptPlan,
  persona: number,
  batch: DescriptionBatch,
): Script<unknown, SynthesisCall> {
  const described = yield* describePersonas(plan, batch);
  return yield* synthesizePersona(plan, { persona, described });
}

/** Returns the call of this persona with that key; a batch describes several personas. */
function callOf(
  run: string,
  persona: number,
  key: string,
): (RestartableCall & { readonly revision: number; readonly attempt: number }) | undefined {
  const parts = parseStepKey(key, SYNTHESIS_STEPS);
  if (parts === undefined || !/^\d+$/.test(parts.turn)) return undefined;
  const work = parseWork(run, parts.workflowId);
  return {
    persona,
    ...(work?.session === undefined ? {} : { session: work.session }),
    step: parts.step,
    turn: Number(parts.turn),
    revision: parts.revision,
    attempt: parts.attempt,
  };
}
