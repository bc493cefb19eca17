import { steeringSchema, type Steering } from '../../schemas/run/steering';
import type { Store } from '../store/store';
import { findJson, writeJson } from '../store/stored-json';

/** Reads the stored steering of a run; without one, the run is unsteered. @throws Error when it is damaged */
export async function readSteering(store: Store): Promise<Steering> {
  return (await findJson(steeringSchema, store, NAME, REMEDY)) ?? steeringSchema.parse({});
}

export async function writeSteering(store: Store, steering: Steering): Promise<void> {
  await writeJson(store, NAME, steering);
}

const NAME = 'steering.json';
const REMEDY = 'Delete it: what was changed with cupid set and cupid pause then no longer holds.';
