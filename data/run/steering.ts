import { steeringSchema, type Steering } from '../../schemas/run/steering';
import { findJson } from './inputs';
import type { Store } from '../store/store';

/** Reads the stored steering of a run; without one, the run is unsteered. @throws Error when it is damaged */
export async function readSteering(store: Store): Promise<Steering> {
  return (await findJson(steeringSchema, store, NAME, REMEDY)) ?? steeringSchema.parse({});
}

export async function writeSteering(store: Store, steering: Steering): Promise<void> {
  await store.write(NAME, `${JSON.stringify(steering, null, 2)}\n`);
}

const NAME = 'steering.json';
const REMEDY = 'Delete it: what was changed with cupid set and cupid pause then no longer holds.';
