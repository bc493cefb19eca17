import { collectCalls, type BatchRound } from '../batch/collect';
import type { EvaluationFiles, EvaluationWorld } from './files';
import { findTrials } from './find-work';
import { makeTrial } from './make-trial';

/** Which trials are looked at: as for `findTrials`. */
type TrialsToCollect = Omit<Parameters<typeof findTrials>[1], 'from'>;

/** Puts the calls that the open trials can make now into batches. */
export async function collectTrials(world: EvaluationWorld, input: TrialsToCollect): Promise<BatchRound> {
  return collectCalls<EvaluationFiles>(world, input.run, async function* (collecting) {
    for (let from: number | undefined = 0; from !== undefined;) {
      const page: Awaited<ReturnType<typeof findTrials>> = await findTrials(world, { ...input, from });
      for (const work of page.work) yield () => makeTrial(collecting, { run: input.run, ...work });
      from = page.next;
    }
  });
}
