import { listClosedPersonas } from '../../data/run/artifacts';
import { listDescribedBy, type DescriptionBatch } from '../../engine/journal/revisions';
import { describePersonas, synthesizePersona } from '../../rules/method/persona';
import { all, type Attempt, type Script } from '../../rules/method/script';
import type { SynthesisCall } from '../../rules/method/synthesis-calls';
import type { Restart } from '../../schemas/run/restart';
import { collectCalls, COLLECTING, isFirstAttempt, type BatchRound } from '../batch/collect';
import { makeCalls } from '../make-calls';
import type { SynthesisWorld } from './inputs';
import { createCaller } from './make-calls';

/** Selection of personas, by the batches that describe them. */
export interface PlansToCollect {
  readonly run: string;
  readonly descriptions: readonly DescriptionBatch[];
  readonly restarts: readonly Restart[];
}

/**
 * Collects the calls for the plans of personas that can be made now into batches: descriptions, factors, journeys, checklists. None if the
 * planning model takes no batches.
 */
export async function collectPlans(
  world: SynthesisWorld,
  { run, descriptions, restarts }: PlansToCollect,
): Promise<BatchRound> {
  const { settings, store } = world.run;
  if ((await world.batches(settings.models.synthesis)) === undefined) return { batches: [] };
  const { finished, failed } = await listClosedPersonas(store);
  const closed = new Set([...finished, ...failed]);
  const plan = { run, settings, restarts };
  function* planPersonas(
    batch: DescriptionBatch,
    personas: readonly number[],
  ): Script<unknown, SynthesisCall> {
    const described = yield* describePersonas(plan, batch);
    return yield* all(personas.map((persona) => synthesizePersona(plan, { persona, described })));
  }
  return collectCalls(world, async function* (collecting) {
    const call = createCaller(collecting);
    for (const batch of descriptions) {
      const open = listDescribedBy(batch, restarts).filter((persona) => !closed.has(persona));
      if (open.length === 0) continue;
      yield () =>
        makeCalls(planPersonas(batch, open), { ...COLLECTING, workflowId: run, isOwn: isPlanning }, call);
    }
  });
}

/** Returns whether an attempt is the first of a call that precedes a persona's dialogues. */
function isPlanning(attempt: Attempt<SynthesisCall>): boolean {
  return !('session' in attempt.call) && isFirstAttempt(attempt);
}
