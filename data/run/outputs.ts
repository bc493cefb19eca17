import { join } from 'node:path';
import { type Output, type OutputPlacement, placeOutputs } from './place-outputs';
import { useTemporaryDirectory } from '../store/directories';
import type { Store } from '../store/store';

/** Names of the built data sets in a run's store. */
export const DATASETS = {
  unverified: 'datasets/CUPID-Unverified/test.parquet',
  unverifiedArrow: 'datasets/CUPID-Unverified/test.arrow',
  unverifiedCard: 'datasets/CUPID-Unverified/README.md',
  raw: 'datasets/CUPID-Raw/test.parquet',
  rawCard: 'datasets/CUPID-Raw/README.md',
  provenance: 'datasets/provenance.parquet',
} as const;

const { unverified, unverifiedArrow, unverifiedCard, raw, rawCard, provenance } = DATASETS;

/** Sets of files that describe each other. */
const SETS = [[unverified, unverifiedArrow, unverifiedCard], [raw, rawCard], [provenance]];

const FAILURES = 'failures';

/** Paths of a run's outputs in its folder. */
export const OUTPUT_PATHS = [...SETS.flat().map(buildOutputPath), FAILURES];

/**
 * Copies the built data sets, and the notes and bundles of failures, from a run's store into its folder.
 * @throws Error when the store lacks a data set
 */
export async function placeRunOutputs(run: {
  readonly path: string;
  readonly store: Store;
  readonly scratch: string;
}): Promise<OutputPlacement> {
  const { path, store, scratch } = run;
  if (!(await hasDataSets(store))) {
    throw new Error(
      `${join(path, '.cupid/datasets')} is incomplete. Repeat the cupid synth command of this run: it builds the data sets again and calls no model.`,
    );
  }
  return useTemporaryDirectory(
    scratch,
    'outputs-',
    async (made) => {
      const fetch = async (name: string): Promise<Output> => {
        const output = { path: buildOutputPath(name), made: join(made, name) };
        await store.fetch(name, output.made);
        return output;
      };
      const failures = (await store.list(FAILURES)).map((name) => [name]);
      const sets: Output[][] = [];
      for (const names of [...SETS, ...failures]) {
        const set: Output[] = [];
        for (const name of names) set.push(await fetch(name));
        sets.push(set);
      }
      return placeOutputs(run, sets);
    },
    path,
  );
}

export async function hasDataSets(store: Store): Promise<boolean> {
  const names = new Set<string>();
  for (const folder of ['datasets', 'datasets/CUPID-Unverified', 'datasets/CUPID-Raw']) {
    for (const name of await store.list(folder)) names.add(name);
  }
  return Object.values(DATASETS).every((name) => names.has(name));
}

function buildOutputPath(name: string): string {
  return name.replace(/^datasets\//, '');
}
