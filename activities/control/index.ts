import { bound } from '../bound';
import type { World } from '../world';
import { keepChangedSteering } from './keep-steering';
import { settleWorkers } from './settle-workers';

/** The activities by which a run of either kind is steered. */
export function controlKeeping(world: World) {
  return {
    keepSteering: bound(world, keepChangedSteering),
    settleWorkers: bound(world, settleWorkers),
  };
}
export type ControlKeeping = ReturnType<typeof controlKeeping>;
