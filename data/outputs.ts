import { join } from 'node:path';
import type { Store } from './store';

/** The names of the built data sets in a run's store. */
export const DATASETS = {
  unverified: 'datasets/CUPID-Unverified/test.parquet',
  unverifiedArrow: 'datasets/CUPID-Unverified/test.arrow',
  unverifiedCard: 'datasets/CUPID-Unverified/README.md',
  raw: 'datasets/CUPID-Raw/test.parquet',
  rawCard: 'datasets/CUPID-Raw/README.md',
  provenance: 'datasets/provenance.parquet',
} as const;

/**
 * Brings the built data sets, and what failed, from a run's store into its folder. Each file is replaced atomically.
 */
export async function bringOutputs(store: Store, folder: string): Promise<void> {
  const names = [
    ...Object.values(DATASETS).map((name) => [name, name.slice('datasets/'.length)] as const),
    ...(await store.list('failures')).map((name) => [name, name] as const),
  ];
  for (const [name, output] of names) {
    await store.fetch(name, join(folder, output));
  }
}
