import { listClosedPersonas } from '../../data/run/artifacts';
import { placeCall, listDescribedBy, type DescriptionBatch } from '../../engine/journal/revisions';
import type { Restart } from '../../schemas/run/restart';
import { awaitAll, makeFirstCall } from '../activity';
import { collectCalls, type BatchRound } from '../batch/collect';
import { describePersonas, planPersona } from './plan-persona';
import type { SynthesisWorld } from './inputs';

/** The personas that are looked at: by the batches that describe them. */
export interface PlansToCollect {
  readonly run: string;
  readonly descriptions: readonly DescriptionBatch[];
  readonly restarts: readonly Restart[];
}

/**
 * Puts the calls into batches that can be made now for the plans of personas: descriptions, factors, journeys, checklists. None where the
 * model that plans takes no batches.
 */
export async function collectPlans(
  world: SynthesisWorld,
  { run, descriptions, restarts }: PlansToCollect,
): Promise<BatchRound> {
  const { settings, store } = world.run;
  if (world.batches(settings.models.synthesis) === undefined) return { batches: [] };
  const { finished, failed } = await listClosedPersonas(store);
  const closed = new Set([...finished, ...failed]);
  return collectCalls(world, async function* (collecting) {
    for (const batch of descriptions) {
      const open = listDescribedBy(batch, restarts).filter((persona) => !closed.has(persona));
      if (open.length === 0) continue;
      yield async () => {
        const { first, count } = batch;
        const call = { workflowId: run, persona: first, step: 'describe', turn: first } as const;
        const { asker, place } = placeCall(settings, batch.generation === undefined ? [] : restarts, call);
        const described = await makeFirstCall(collecting, asker, () =>
          describePersonas(collecting, { run, first, count, ...place, ask: 0 }),
        );
        if (described.good === undefined) return;
        const { ref } = described.good;
        const plan = (persona: number) =>
          planPersona(collecting, { run, persona, described: { first, count, ref }, restarts });
        await awaitAll<unknown>(open.map(plan));
      };
    }
  });
}
