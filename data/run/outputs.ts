import { join } from 'node:path';
import * as z from 'zod';
import { type OutputFile, type OutputPlacement, placeOutputs } from './place-outputs';
import { useTemporaryDirectory } from '../store/directories';
import { hashFile } from '../store/files';
import { parseSealedJson, writeJson } from '../store/stored-json';
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

const BUILD_AGAIN =
  'Repeat the cupid synth command of this run: it builds the data sets again and calls no model.';

/** Paths of a run's outputs in its folder. */
export const OUTPUT_PATHS = [...SETS.flat().map(buildOutputPath), FAILURES];

/** A data set in a run's store is not what was built. The run's command builds it again, without a call of a model. */
export class DataSetsDamaged extends Error {
  override readonly name = 'DataSetsDamaged';

  /** @param problem a sentence */
  constructor(readonly problem: string) {
    super(`${problem} ${BUILD_AGAIN}`);
  }
}

const hashesSchema = z.object({ files: z.record(z.string(), z.string()) });
const HASHES = 'datasets/hashes.json';

/** Stores the SHA-256 of the built data sets, by name: what is copied from the store is compared with them. Written last. */
export async function writeDataSetHashes(
  store: Store,
  files: Readonly<Record<string, string>>,
): Promise<void> {
  await writeJson(store, HASHES, { files });
}

/**
 * Copies the built data sets, and the notes and bundles of failures, from a run's store into its folder.
 * @throws Error when the store lacks a data set; DataSetsDamaged when one is not what was built
 */
export async function placeRunOutputs(run: {
  readonly path: string;
  readonly store: Store;
  readonly scratch: string;
}): Promise<OutputPlacement> {
  const { path, store, scratch } = run;
  const innerFolder = join(path, '.cupid');
  if (!(await hasDataSets(store))) {
    throw new Error(`${join(innerFolder, 'datasets')} is incomplete. ${BUILD_AGAIN}`);
  }
  const hashes = await readHashes(store);
  return useTemporaryDirectory(
    scratch,
    'outputs-',
    async (directory) => {
      const fetch = async (name: string): Promise<OutputFile> => {
        const output = { path: buildOutputPath(name), newFile: join(directory, name) };
        await store.fetch(name, output.newFile);
        const built = hashes[name];
        if (built === undefined) return output;
        const { sha256 } = await hashFile(output.newFile);
        if (built === sha256) return { ...output, sha256 };
        throw new DataSetsDamaged(
          `${join(innerFolder, name)} is damaged: its content does not match its SHA-256.`,
        );
      };
      const failures = (await store.list(FAILURES)).map((name) => [name]);
      const sets: OutputFile[][] = [];
      for (const names of [...SETS, ...failures]) {
        const set: OutputFile[] = [];
        for (const name of names) set.push(await fetch(name));
        sets.push(set);
      }
      return placeOutputs(path, sets);
    },
    path,
  );
}

export async function hasDataSets(store: Store): Promise<boolean> {
  const names = new Set<string>();
  for (const folder of ['datasets', 'datasets/CUPID-Unverified', 'datasets/CUPID-Raw']) {
    for (const name of await store.list(folder)) names.add(name);
  }
  return [...Object.values(DATASETS), HASHES].every((name) => names.has(name));
}

async function readHashes(store: Store): Promise<Readonly<Record<string, string>>> {
  const text = (await store.read(HASHES)) ?? '';
  const { value, problem } = parseSealedJson(hashesSchema, HASHES, text);
  if (problem === undefined) return value.files;
  throw new DataSetsDamaged(`.cupid/${problem}`);
}

function buildOutputPath(name: string): string {
  return name.replace(/^datasets\//, '');
}
