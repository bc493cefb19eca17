import { bound } from '../bound';
import type { World } from '../world';
import { readBacklogs } from './read-backlogs';
import { setQueueRate } from './set-queue-rate';

/** The activities by which models are limited, whatever run they are asked for. */
export function limitKeeping(world: World) {
  return {
    setQueueRate: bound(world, setQueueRate),
    readBacklogs: bound(world, readBacklogs),
  };
}
export type LimitKeeping = ReturnType<typeof limitKeeping>;
