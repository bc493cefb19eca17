import { bound } from '../bound';
import type { World } from '../world';
import { keepChangedSteering } from './keep-steering';
import { settleWorker } from './settle-worker';

/** The activities by which a run of either kind is steered. */
export function controlKeeping(world: World) {
  return {
    keepSteering: bound(world, keepChangedSteering),
    settleWorker: bound(world, settleWorker),
  };
}
export type ControlKeeping = ReturnType<typeof controlKeeping>;
