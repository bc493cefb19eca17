import { readdir, rm } from 'node:fs/promises';
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
 * Brings the built data sets, and what failed, from a run's store into its folder. Each file is replaced atomically; what
 * failed once, and does not any more, goes.
 */
export async function bringOutputs(store: Store, folder: string): Promise<void> {
  const failures = await store.list(FAILURES);
  const names = [
    ...Object.values(DATASETS).map((name) => [name, name.slice('datasets/'.length)] as const),
    ...failures.map((name) => [name, name] as const),
  ];
  for (const [name, output] of names) {
    await store.fetch(name, join(folder, output));
  }
  await removeOthers(join(folder, FAILURES), failures);
}

const FAILURES = 'failures';

/** Removes from the run's folder what the store has no more of; files that were put there by others stay. */
async function removeOthers(folder: string, failures: readonly string[]): Promise<void> {
  const kept = new Set(failures.map((name) => name.slice(FAILURES.length + 1)));
  const files = await readdir(folder).catch(() => []);
  const ours = files.filter((file) => /^(\d{7}|p\d+\b.*)\.json$/.test(file));
  for (const file of ours.filter((one) => !kept.has(one))) await rm(join(folder, file), { force: true });
}
