import { isStored, writeFailedPersona } from '../../../data/run/artifacts';
import { buildBundleName, writeBundle } from '../../../data/run/bundles';
import type { FailedWork, PersonaOutcome } from '../../../schemas/run/outcome';
import { bundleFailure } from './bundle-failure';
import type { SynthesisWorld } from '../files';

/**
 * Keeps what failed of a persona, and why, where `failures/` is filled from, with a bundle for each failure; returns
 * how the persona ended. One whose record is stored has finished, regardless of what its workflow did after that.
 */
export async function keepFailure(
  world: SynthesisWorld,
  input: { readonly run: string; readonly persona: number; readonly work: readonly FailedWork[] },
): Promise<PersonaOutcome> {
  const { persona, work } = input;
  const run = await world.run(input.run);
  if (await isStored(run.store, persona)) return { persona, state: 'finished' };
  for (const failed of work)
    await writeBundle(run.store, buildBundleName(failed), await bundleFailure(run, failed));
  // By its note a persona counts as failed: it comes last.
  await writeFailedPersona(run.store, persona, work);
  return { persona, state: 'failed', cause: work[0]?.cause ?? '' };
}
