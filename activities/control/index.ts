import { bound } from '../bound';
import type { World } from '../world';
import { keepChangedSteering } from './keep-steering';
import { setQueueRate } from './set-queue-rate';
import { settleWorker } from './settle-worker';

/** The activities by which a run of either kind is steered and limited. */
export function controlKeeping(world: World) {
  return {
    keepSteering: bound(world, keepChangedSteering),
    settleWorker: bound(world, settleWorker),
    setQueueRate: bound(world, setQueueRate),
  };
}
export type ControlKeeping = ReturnType<typeof controlKeeping>;
