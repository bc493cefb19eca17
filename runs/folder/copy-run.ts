import { rename } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { hasDataSets, placeRunOutputs } from '../../data/run/outputs';
import { RECORD } from '../../data/outputs/output-record';
import {
  openRunStore,
  openStoreAt,
  readStoreLocation,
  removeStoreLocation,
  writeStoreLocation,
} from '../../data/store/open-store';
import { PLANS } from '../../data/store/folder-format';
import { requireRegularFile } from '../../data/store/own-file';
import { createFolderStore, type Store } from '../../data/store/store';
import { LOCKS } from '../../data/store/store-lock';
import type { EvaluationFile } from '../../schemas/evaluation/evaluation-run';
import type { RunFile } from '../../schemas/run/run';
import { MARK, markCopy, readCopyMark, requireNoCopy, unmarkCopy } from './copy-mark';
import {
  checkWritable,
  EVALUATION,
  findKind,
  findOpenRun,
  isOpenOnCluster,
  readRunFile,
  requireStore,
  RunNotFound,
  RUN_FILE,
  SYNTHESIS,
} from './run-folder';
import { RunFolderError } from './run-folder-error';
import { lockRunFolder } from './run-lock';

interface CopiedRun {
  readonly id: string;
  readonly files: number;
  /** Whether other processes may have worked for the run meanwhile, so that the copy is a snapshot. */
  readonly inProgress: boolean;
}

/** Called after each file. */
type CopyReport = (progress: { readonly done: number; readonly total: number }) => void;

/**
 * Copies a run from object storage into a folder, which has it from then on, with its data sets in place. The folder is marked as a copy of
 * a run in progress until everything is copied and nothing has worked for the run meanwhile. A marked copy may be pulled again.
 * @throws RunNotFound, RunFolderError when the folder has another run or is in use, StoreError
 */
export async function pullRun(location: string, name: string, report: CopyReport): Promise<CopiedRun> {
  const source = await openStoreAt(location);
  const id = await readRunId(source);
  if (id === undefined) throw new RunNotFound(`There is no run at ${location}.`);
  const path = resolve(name);
  await checkWritable(path, name, 'folder');
  await requireStore(name);
  const innerFolder = join(path, '.cupid');
  const scratch = join(innerFolder, 'scratch');
  const kind = { flag: 'folder', hasPlan: SYNTHESIS.hasPlan };
  await using _lock = await lockRunFolder({
    kind,
    path,
    scratch,
    store: createFolderStore(innerFolder, path),
  });
  const isAttached = readStoreLocation(path) === location;
  const existingId = await readRunId(await openRunStore(path));
  if (existingId !== undefined && !isAttached && (await readCopyMark(path)) !== location) {
    throw new RunFolderError(`${name} contains a run already (${existingId}). Name another folder.`);
  }
  const wasInProgress = await isInProgress(source, location);
  if (isAttached && wasInProgress) throw createAttachedError(name, location);
  const names = await listRunFiles(source);
  await markCopy(path, location);
  await copyEach(names, report, (file) => source.fetch(file, join(innerFolder, file), path));
  // A run may start, or even end, while it is copied.
  const hasChanged = async () =>
    (await isInProgress(source, location)) ||
    !isDeepStrictEqual((await listRunFiles(source)).toSorted(), names.toSorted());
  if (isAttached && (await hasChanged())) throw createAttachedError(name, location);
  if (names.includes(RUN_FILE)) {
    await requireRegularFile(join(path, RUN_FILE), path, 'read');
    await rename(join(innerFolder, RUN_FILE), join(path, RUN_FILE));
  }
  // The folder still uses the storage, so after a crash here the pull can be repeated.
  await removeOthers(createFolderStore(innerFolder, path), names);
  await removeStoreLocation(path);
  const localStore = await openRunStore(path);
  if ((await SYNTHESIS.hasPlan(localStore)) && (await hasDataSets(localStore))) {
    await placeRunOutputs({ path, store: localStore, scratch });
  }
  const inProgress = wasInProgress || (await hasChanged());
  if (!inProgress) await unmarkCopy(path);
  return { id, files: names.length, inProgress };
}

function createAttachedError(name: string, location: string): RunFolderError {
  return new RunFolderError(
    `The run of ${name} at ${location} is in progress. Let it finish, or name another folder for a copy to look at.`,
  );
}

/**
 * Copies a folder's run to object storage, where it is kept from then on. The copy in the folder stays, unused.
 * @throws RunNotFound, RunFolderError when a run is there, StoreError
 */
export async function pushRun(name: string, location: string, report: CopyReport): Promise<CopiedRun> {
  const open = await findOpenRun(name);
  if (open === undefined) throw new RunNotFound(`There is no folder ${name}. Name a run folder.`);
  const { folder, plan } = open;
  await requireNoCopy(folder.path, name);
  if (folder.location !== undefined) {
    throw new RunFolderError(`The run in ${name} is stored at ${folder.location} already.`);
  }
  const target = await openStoreAt(location);
  const existingId = await readRunId(target);
  if (existingId !== undefined)
    throw new RunFolderError(`${location} contains run ${existingId}. Name another place.`);
  await using _lock = await lockRunFolder(folder);
  const names = await listRunFiles(folder.store);
  await copyEach(names, report, (file) => target.put(file, join(folder.path, '.cupid', file), folder.path));
  if (folder.run !== undefined) await target.put(RUN_FILE, join(folder.path, RUN_FILE), folder.path);
  await writeStoreLocation(folder.path, location);
  return { id: plan.inputs.id, files: names.length, inProgress: false };
}

/** Removes a run's other files, which are older than the push. */
async function removeOthers(store: Store, names: readonly string[]): Promise<void> {
  const currentNames = new Set(names);
  await store.remove((await listRunFiles(store)).filter((name) => !currentNames.has(name)));
}

/** Returns whether a command drives a run, or workers of a cluster may continue it. */
async function isInProgress(store: Store, location: string): Promise<boolean> {
  if ((await store.list(LOCKS)).length > 0) return true;
  const kind = (await findKind(store)) ?? EVALUATION;
  const run = await readRunFile<RunFile | EvaluationFile>({ kind, path: location, store, location });
  return isOpenOnCluster(run);
}

async function readRunId(store: Store): Promise<string | undefined> {
  const kind = await findKind(store);
  return kind && (await kind.readPlan(store)).inputs.id;
}

/**
 * Lists the names of a run's files, its plan last: a copy with a plan is complete. Other runs may be stored below it.
 * @throws RunFolderError for a name that would be outside the run's folder
 */
export async function listRunFiles(store: Store): Promise<string[]> {
  const names: string[] = [];
  for await (const name of store.all('')) {
    const parts = name.split('/');
    // The objects may come from somebody else, and would be written outside the folder.
    if (parts.some((part) => part === '' || part === '.' || part === '..')) {
      throw new RunFolderError(
        `The store has an object that belongs to no run: ${name}. Nothing was copied. Delete it.`,
      );
    }
    if (!LEFT.has(parts[0] ?? '')) names.push(name);
  }
  const below = new Set(names.flatMap((name) => findRunBelow(name) ?? []));
  const ownNames = names.filter((name) => !listFoldersAbove(name).some((folder) => below.has(folder)));
  return [...ownNames.filter((name) => !isPlan(name)), ...ownNames.filter(isPlan)];
}

/** Returns the folder of another run if this is its plan or `run.json`. */
function findRunBelow(name: string): string | undefined {
  if (isPlan(name)) return undefined;
  return /^(?<folder>.+?)\/(?:run|inputs\/run|inputs\/evaluation)\.json$/.exec(name)?.groups?.['folder'];
}

/** Lists the ancestors of a name: `a` and `a/b` for `a/b/c`. */
function listFoldersAbove(name: string): string[] {
  const parts = name.split('/').slice(0, -1);
  return parts.map((_, at) => parts.slice(0, at + 1).join('/'));
}

/** Returns true for the file that marks the plan in a store as complete. */
function isPlan(name: string): boolean {
  return Object.values<string>(PLANS).includes(name);
}

/** Names that belong to one machine or process, and are not copied. */
const LEFT = new Set([LOCKS, 'lock', 'engine', 'scratch', 'worker.log', 'store.json', RECORD, MARK]);

async function copyEach(
  names: readonly string[],
  report: CopyReport,
  copy: (name: string) => Promise<void>,
): Promise<void> {
  const plan = names.findIndex(isPlan);
  const left = names.slice(0, plan);
  let copiedCount = 0;
  const copyAll = async (queue: string[]) => {
    for (let name = queue.shift(); name !== undefined; name = queue.shift()) {
      await copy(name);
      report({ done: (copiedCount += 1), total: names.length });
    }
  };
  await Promise.all(Array.from({ length: COPIED_AT_ONCE }, () => copyAll(left)));
  await copyAll(names.slice(plan));
}

const COPIED_AT_ONCE = 16;
