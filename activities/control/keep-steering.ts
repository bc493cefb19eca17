import { keepSteering } from '../../data/steering';
import type { Steering } from '../../schemas/steering';
import type { World } from '../world';

/** Keeps how a run is steered, so that it is steered the same way when it is continued. */
export async function keepChangedSteering(
  world: World,
  input: { readonly run: string; readonly steering: Steering },
): Promise<void> {
  const { store } = await world.run(input.run);
  await keepSteering(store, input.steering);
}
