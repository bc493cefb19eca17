import { mkdir, mkdtemp, readdir, readFile, rm, rmdir } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { withLicenseOf } from './card/edit';
import { errorCode } from './error-code';
import { hashOf } from './files';
import { CARD } from './sets/folder';
import { type Store, writeAtomically } from './store';

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
 * Brings the built data sets, and what failed, from a run's store into its folder. Each file is replaced atomically, and a card keeps
 * the licence that it was given there; what failed once, and does not any more, goes.
 */
export async function bringOutputs(store: Store, folder: string): Promise<void> {
  const failures = await store.list(FAILURES);
  for (const name of [...Object.values(DATASETS), ...failures]) await bring(store, name, folder);
  await removeOthers(join(folder, FAILURES), failures);
}

/**
 * Looks after the data sets in the folder of a finished run: what is missing is brought from its store again. What was changed
 * since is left as it is. Gives both, as paths from the folder; cards may be changed as one likes.
 * @param scratch a folder for what is only looked at
 */
export async function mendOutputs(
  store: Store,
  folder: string,
  scratch: string,
): Promise<{ readonly brought: readonly string[]; readonly changed: readonly string[] }> {
  const brought: string[] = [];
  const changed: string[] = [];
  await mkdir(scratch, { recursive: true });
  const kept = await mkdtemp(join(scratch, 'outputs-'));
  try {
    for (const name of Object.values(DATASETS)) {
      const output = outputOf(name);
      const there = await sha256Of(join(folder, output));
      if (there === undefined) {
        await bring(store, name, folder);
        brought.push(output);
      } else if (basename(output) !== CARD) {
        await store.fetch(name, join(kept, 'output'));
        if (there !== (await sha256Of(join(kept, 'output')))) changed.push(output);
      }
    }
  } finally {
    await rm(kept, { recursive: true, force: true });
  }
  return { brought, changed };
}

async function bring(store: Store, name: string, folder: string): Promise<void> {
  const output = join(folder, outputOf(name));
  const before = basename(output) === CARD ? await textOf(output) : undefined;
  await store.fetch(name, output);
  if (before === undefined) return;
  const card = await readFile(output, 'utf8');
  const licensed = withLicenseOf(card, before);
  if (licensed !== card) await writeAtomically(output, licensed);
}

async function textOf(file: string): Promise<string | undefined> {
  return readFile(file, 'utf8').catch(() => undefined);
}

function outputOf(name: string): string {
  return name.replace(/^datasets\//, '');
}

/** Undefined when there is no such file. */
async function sha256Of(file: string): Promise<string | undefined> {
  try {
    return (await hashOf(file)).sha256;
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return undefined;
    throw error;
  }
}

const FAILURES = 'failures';

/** Removes from the run's folder what the store has no more of; files that were put there by others stay. */
async function removeOthers(folder: string, failures: readonly string[]): Promise<void> {
  const kept = new Set(failures.map((name) => name.slice(FAILURES.length + 1)));
  const files = await readdir(folder).catch(() => []);
  const ours = files.filter((file) => /^(\d{7}|p\d+\b.*)\.json$/.test(file));
  for (const file of ours.filter((one) => !kept.has(one))) await rm(join(folder, file), { force: true });
  // Nothing failed in the end, and nobody put anything else there.
  await rmdir(folder).catch(() => undefined);
}
