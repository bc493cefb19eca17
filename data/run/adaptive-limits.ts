import * as z from 'zod';
import type { Store } from '../store/store';
import { findJson, writeJson } from '../store/stored-json';

/** Reads the calls in flight above which the providers of this run's models rejected calls, by SPEC. */
export async function readAdaptiveLimits(store: Store): Promise<Readonly<Record<string, number>>> {
  return (await findJson(limitsSchema, store, NAME, REMEDY))?.limits ?? {};
}

/** Stores where a model is held; undefined where it no longer is. A concurrent write of another process may be lost: it is found again. */
export async function writeAdaptiveLimit(
  store: Store,
  spec: string,
  inFlight: number | undefined,
): Promise<void> {
  const { [spec]: _, ...limits } = await readAdaptiveLimits(store);
  await writeJson(store, NAME, {
    limits: { ...limits, ...(inFlight === undefined ? {} : { [spec]: inFlight }) },
  });
}

const limitsSchema = z.object({ limits: z.record(z.string(), z.number().int().positive()) });

const NAME = 'adaptive-limits.json';
const REMEDY = 'Delete it: the limits of the providers are then found again.';
