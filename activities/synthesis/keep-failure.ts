import { isKept, keepFailedPersona } from '../../data/artifacts';
import type { FailedWork, PersonaOutcome } from '../../schemas/outcome';
import type { SynthesisWorld } from './files';

/**
 * Keeps what failed of a persona, and why, where `failures/` is filled from; returns how the persona ended. One whose
 * record is kept has finished, whatever became of its workflow after that.
 */
export async function keepFailure(
  world: SynthesisWorld,
  input: { readonly run: string; readonly persona: number; readonly work: readonly FailedWork[] },
): Promise<PersonaOutcome> {
  const { persona, work } = input;
  const run = await world.run(input.run);
  if (await isKept(run.store, persona)) return { persona, state: 'finished' };
  await keepFailedPersona(run.store, persona, work);
  return { persona, state: 'failed', cause: work[0]?.cause ?? '' };
}
