import type { FailedWork } from '../schemas/outcome';
import { keepFailedPersona } from '../data/artifacts';
import type { World } from './world';

/** Keeps what failed of a persona, and why, where `failures/` is filled from. */
export async function keepFailure(
  world: World,
  input: { readonly run: string; readonly persona: number; readonly work: readonly FailedWork[] },
): Promise<void> {
  const run = await world.run(input.run);
  await keepFailedPersona(run.store, input.persona, input.work);
}
