import { writeMissingCall } from '../../data/run/stored-calls';
import type { MissingCall } from '../../schemas/evaluation/evaluation';
import type { EvaluationWorld } from './files';

/** Stores why a call gave no usable answer: the score it was for is missing until the call is retried. */
export async function keepMissing(
  world: EvaluationWorld,
  input: { readonly run: string; readonly workflowId: string; readonly call: MissingCall },
): Promise<void> {
  const run = await world.run(input.run);
  await writeMissingCall(run.store, input.workflowId, input.call);
}
