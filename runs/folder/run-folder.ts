import { constants, existsSync } from 'node:fs';
import { access, readdir, stat } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import * as z from 'zod';
import { isMissing } from '../../data/store/system-error';
import { hasEvaluationPlan, readEvaluationPlan, type EvaluationPlan } from '../../data/run/evaluation-plan';
import { hasPlan, readPlan, type RunPlan } from '../../data/run/inputs';
import { describeIssues } from '../../schemas/text/issues';
import { LockedError, findLockHolder, type LockHolder } from '../../data/store/lock';
import { getReason } from '../../data/store/data-error';
import { IrregularFile, readText, readTextIfThere, requireDirectories } from '../../data/store/own-file';
import { openRunStore, openStoreAt, readStoreLocation } from '../../data/store/open-store';
import { writeAtomically, type Store } from '../../data/store/store';
import { evaluationFileSchema, type EvaluationFile } from '../../schemas/evaluation/evaluation-run';
import { isCluster } from '../../schemas/run/engine';
import { runFileSchema, runKindSchema, type RunFile, type RunKind } from '../../schemas/run/run';
import { InputError } from '../../schemas/input-error';
import { quotePath } from '../../schemas/text/shell-text';
import { hasFolder } from '../../data/folders/folder';
import { RUN_DATA_SETS } from '../../data/folders/run-folders';
import { hasReview } from './review-store';
import { requireNoCopy } from './copy-mark';
import { RunFolderError, WrongFolder } from './run-folder-error';
import { createInUseError, getLockFile } from './run-lock';

/** A kind of run, its words in messages, and the readers of its `run.json` and plan. */
interface FolderKind<Run, Plan> {
  readonly name: RunKind;
  readonly noun: string;
  /** The noun with its article, in a folder where another kind was expected. */
  readonly described: string;
  /** Uses of the folder that need the plan, and those that do not. */
  readonly impossible: string;
  readonly possible: (name: string) => string;
  /** Flag that names the folder on the command line. */
  readonly flag: string;
  readonly file: z.ZodType<Run>;
  readonly hasPlan: (store: Store) => Promise<boolean>;
  readonly readPlan: (store: Store) => Promise<Plan>;
}

export const SYNTHESIS: FolderKind<RunFile, RunPlan> = {
  name: 'synthesis',
  noun: 'run',
  described: 'a synthesis run',
  impossible: 'continued, extended, retried or inspected',
  possible: (name) =>
    `Its data sets are complete and can still be used: cupid validate ${name}, cupid export ${name}, cupid publish ${name}, cupid eval --data ${name}.`,
  flag: '--output-dir',
  file: runFileSchema,
  hasPlan,
  readPlan,
};

export const EVALUATION: FolderKind<EvaluationFile, EvaluationPlan> = {
  name: 'evaluation',
  noun: 'evaluation',
  described: 'an evaluation',
  impossible: 'continued, extended, scored again, retried or inspected',
  possible: (name) =>
    `Its results can still be read: results.txt, results.json and results.parquet in ${name}.`,
  flag: '--results-dir',
  file: evaluationFileSchema,
  hasPlan: hasEvaluationPlan,
  readPlan: readEvaluationPlan,
};

const KINDS = { synthesis: SYNTHESIS, evaluation: EVALUATION } as const;

/** Finds the kind of the run with a plan in a store; undefined if there is none. */
export async function findKind(store: Store): Promise<typeof SYNTHESIS | typeof EVALUATION | undefined> {
  for (const kind of Object.values(KINDS)) if (await kind.hasPlan(store)) return kind;
  return undefined;
}

/** A run's folder: everything of a run, and nothing of another. */
export interface RunFolder<Run = unknown, Plan = unknown> {
  readonly kind: FolderKind<Run, Plan>;
  /** Absolute path. */
  readonly path: string;
  /** Content of `run.json`; absent while no run was started here. */
  readonly run?: Run;
  readonly store: Store;
  /** Location of the store, such as `s3://bucket/run`; absent if it is in the folder. */
  readonly location?: string;
  readonly engine: string;
  readonly logFile: string;
  /** Directory for files on their way to or from the store. */
  readonly scratch: string;
}

/** Returns whether a cluster has workflows of a run that its workers continue without a command. @param run content of its `run.json` */
export function isOpenOnCluster(run: RunFile | EvaluationFile | undefined): boolean {
  return run !== undefined && run.state === 'running' && isCluster(run.engine);
}

/** The command names no run: no such folder or id, or a folder without a run. */
export class RunNotFound extends InputError {
  override readonly name = 'RunNotFound';
}

/** A process is about to write the run into its folder. */
export class RunStarting extends RunFolderError {}

/**
 * Opens a folder without writing anything.
 * @param location of the store of a new run, or of the folder's run; in the folder if absent
 * @throws RunFolderError when it is a file, cannot be written, is in use, or holds a run that this program cannot read or a copy of one in
 * progress; WrongFolder when it holds a review
 */
export async function openRunFolder<Run, Plan>(
  kind: FolderKind<Run, Plan>,
  name: string,
  location?: string,
): Promise<RunFolder<Run, Plan>> {
  const path = resolve(name);
  await checkWritable(path, name, kind.flag);
  // Before its lock, because a review in progress is locked for days.
  if (await hasReview(path)) throw new WrongFolder(`${path} contains a review. Name another ${kind.flag}.`);
  const holder = await findLockHolder(getLockFile(path), path);
  if (holder !== undefined) throw createInUseError(name, new LockedError(getLockFile(path), holder));
  await requireStore(name);
  await requireNoCopy(path, name);
  if (location !== undefined) await checkLocation(kind, name, location);
  const folder = await createRunFolder(kind, path, location ?? readStoreLocation(path));
  // Its run.json may be missing, or not written yet.
  const storedKind = folder.run === undefined ? await findKind(folder.store) : undefined;
  if (storedKind !== undefined && storedKind.name !== kind.name)
    throw createWrongFolderError(kind, storedKind, path);
  return folder;
}

/** @throws RunFolderError when the folder's run is at another location */
async function checkLocation(
  { flag }: FolderKind<unknown, unknown>,
  name: string,
  location: string,
): Promise<void> {
  const path = resolve(name);
  const storedLocation = readStoreLocation(path);
  if (storedLocation === location) return;
  if (storedLocation !== undefined) {
    throw new RunFolderError(
      `The run in ${name} is stored at ${storedLocation}, not at ${location}. Repeat the command without --store, or name another ${flag}.`,
    );
  }
  if ((await findKind(await openRunStore(path))) !== undefined) {
    throw new RunFolderError(
      `The run in ${name} is stored in that folder. To move it to ${location}, run: cupid push ${name} ${location}`,
    );
  }
}

/** A run in its folder, also while another process drives it. */
export type OpenRun = OpenSynthesis | OpenEvaluation;
export type OpenSynthesis = Held<'synthesis', RunFile, RunPlan>;
export type OpenEvaluation = Held<'evaluation', EvaluationFile, EvaluationPlan>;

interface Held<Name, Run, Plan> {
  readonly kind: Name;
  readonly folder: RunFolder<Run, Plan>;
  readonly plan: Plan;
  /** Living process that drives it. */
  readonly holder?: LockHolder;
}

/**
 * Finds a run of either kind in a folder, without writing anything; undefined if there is no such folder.
 * @throws RunNotFound when it holds no run; RunFolderError when it holds one that this program cannot read
 */
export async function findOpenRun(name: string): Promise<OpenRun | undefined> {
  const path = resolve(name);
  if (!(await isFolder(path, name))) return undefined;
  const holder = await findLockHolder(getLockFile(path), path);
  const lockHolder = holder === undefined ? {} : { holder };
  const synthesis = await openPlanned(SYNTHESIS, path);
  if (synthesis !== undefined) return { kind: 'synthesis', ...synthesis, ...lockHolder };
  const evaluation = await openPlanned(EVALUATION, path);
  if (evaluation !== undefined) return { kind: 'evaluation', ...evaluation, ...lockHolder };
  if (await hasReview(path)) {
    throw new RunNotFound(
      `${name} contains a review, not a run: cupid status ${quotePath(name)} shows its progress, and Ctrl-C stops the cupid review that serves it.`,
    );
  }
  await requireStore(name);
  if (holder === undefined) {
    throw new RunNotFound(
      `${name} contains no run. Name a folder that cupid synth wrote (--output-dir) or cupid eval (--results-dir).`,
    );
  }
  throw new RunStarting(
    `${name} contains no run yet: process ${holder.pid} on ${holder.host} is starting one. Run this command again in a moment.`,
  );
}

/**
 * Checks that the `.cupid` of a run exists if its `run.json` says that one was started.
 * @throws RunFolderError that says what is missing, and what still works
 */
export async function requireStore(name: string): Promise<void> {
  const path = resolve(name);
  const innerFolder = join(path, '.cupid');
  const run = await readKnownRun(path);
  if (run === undefined || (await KINDS[run.kind].hasPlan(await openRunStore(path)))) return;
  const { noun, flag, impossible, possible } = KINDS[run.kind];
  const missing = existsSync(innerFolder) ? `${name}/.cupid/inputs` : `${name}/.cupid`;
  throw new RunFolderError(
    [
      `${missing} is missing. Without it, the ${noun} in this folder (${run.id}) cannot be ${impossible}.`,
      ...(run.state === 'finished' ? [possible(name)] : []),
      `Restore ${missing} from a copy, or name another ${flag} to start a new ${noun}.`,
    ].join('\n'),
  );
}

/** Reads a `run.json` of this program, even if the rest of the run is missing; undefined if there is none. */
async function readKnownRun(path: string): Promise<z.infer<typeof knownRunSchema> | undefined> {
  try {
    return knownRunSchema.parse(JSON.parse(await readText(join(path, RUN_FILE), path)));
  } catch (error) {
    if (error instanceof IrregularFile) throw error;
    return undefined;
  }
}

/** Lists the folders of synthesis runs with a data set directly in a directory, sorted. */
export async function listRunsBeside(directory: string): Promise<string[]> {
  const entries = await readdir(directory, { withFileTypes: true });
  const [[instances]] = RUN_DATA_SETS;
  const runs: string[] = [];
  for (const entry of entries.filter((candidate) => candidate.isDirectory())) {
    const run = await readKnownRun(join(directory, entry.name)).catch(() => undefined);
    if (run?.kind === 'synthesis' && (await hasFolder(join(directory, entry.name, instances))))
      runs.push(entry.name);
  }
  return runs.toSorted();
}

const knownRunSchema = z.object({ kind: runKindSchema, id: z.string(), state: z.string() });

async function isFolder(path: string, name: string): Promise<boolean> {
  try {
    if ((await stat(path)).isDirectory()) return true;
  } catch (error) {
    if (isMissing(error)) return false;
    throw new RunFolderError(`${name} cannot be read: ${getReason(error)}. Check its permissions.`, {
      cause: error,
    });
  }
  throw new RunNotFound(`${name} is a file. Name a run folder.`);
}

async function openPlanned<Run, Plan>(
  kind: FolderKind<Run, Plan>,
  path: string,
): Promise<{ folder: RunFolder<Run, Plan>; plan: Plan } | undefined> {
  const store = await openRunStore(path);
  if (!(await kind.hasPlan(store))) return undefined;
  const folder = await createRunFolder(kind, path, readStoreLocation(path));
  const plan = await findPlan(folder);
  return plan === undefined ? undefined : { folder, plan };
}

async function createRunFolder<Run, Plan>(
  kind: FolderKind<Run, Plan>,
  path: string,
  location: string | undefined,
): Promise<RunFolder<Run, Plan>> {
  const innerFolder = join(path, '.cupid');
  const engine = join(innerFolder, 'engine');
  // The embedded server opens its own files there.
  await requireDirectories(engine, path);
  const store = await (location === undefined ? openRunStore(path) : openStoreAt(location));
  const run = await readRunFile({ kind, path, store, ...(location === undefined ? {} : { location }) });
  return {
    kind,
    path,
    ...(run === undefined ? {} : { run }),
    store,
    ...(location === undefined ? {} : { location }),
    engine,
    logFile: join(innerFolder, 'worker.log'),
    scratch: join(innerFolder, 'scratch'),
  };
}

/**
 * Reads the plan of the folder's run; undefined if none was started here. The store defines the run: even if its `run.json` is lost, it
 * must not pay for the same calls again.
 * @throws RunFolderError when it cannot be read
 */
export async function findPlan<Plan>({
  kind,
  path,
  store,
}: RunFolder<unknown, Plan>): Promise<Plan | undefined> {
  try {
    return (await kind.hasPlan(store)) ? await kind.readPlan(store) : undefined;
  } catch (error) {
    if (error instanceof IrregularFile) throw error;
    throw new RunFolderError(
      `The run in ${path} cannot be continued: ${getReason(error)}\nTo start over, name another ${kind.flag}.`,
      { cause: error },
    );
  }
}

/**
 * Checks under the lock that the folder has not changed since it was read.
 * @throws RunFolderError when another command has worked here in between
 */
export async function assertUnchanged<Run, Plan>(
  folder: RunFolder<Run, Plan>,
  plan: Plan | undefined,
): Promise<void> {
  const run = await readRunFile(folder);
  const isUnchanged = isDeepStrictEqual(run, folder.run) && isDeepStrictEqual(await findPlan(folder), plan);
  if (!isUnchanged) {
    throw new RunFolderError(
      `Another command changed the run in ${folder.path} while this one was starting. Repeat this command.`,
    );
  }
}

export async function writeRunFile<Run>({ path, location, store }: RunFolder<Run>, run: Run): Promise<void> {
  const text = `${JSON.stringify(run, null, 2)}\n`;
  await writeAtomically(join(path, RUN_FILE), text, path);
  // Other machines read it in the store.
  if (location !== undefined) await store.write(RUN_FILE, text);
}

/** Name of the file that describes a run, in its folder and in a remote store. */
export const RUN_FILE = 'run.json';

/**
 * @param flag what the user may name instead
 * @throws WrongFolder when a file is in its place, RunFolderError when this user cannot have a run in this folder
 */
export async function checkWritable(path: string, name: string, flag: string): Promise<void> {
  let existing = path;
  for (;;) {
    try {
      const stats = await stat(existing);
      if (!stats.isDirectory()) {
        throw new WrongFolder(
          existing === path
            ? `${name} is a file, but a run needs a folder. Name another ${flag}.`
            : `${name} cannot be created: ${existing} is a file. Name another ${flag}.`,
        );
      }
      break;
    } catch (error) {
      if (error instanceof WrongFolder) throw error;
      const parent = dirname(existing);
      // Below a file it is ENOTDIR; the file itself is reported further up.
      if (!isMissing(error) || parent === existing) {
        throw new RunFolderError(`${name} cannot be used: ${getReason(error)}. Name another ${flag}.`);
      }
      existing = parent;
    }
  }
  try {
    await access(existing, constants.W_OK | constants.X_OK);
  } catch {
    throw new RunFolderError(`${existing} cannot be written by this user. Name another ${flag}.`);
  }
}

/**
 * Reads the current `run.json`; undefined while there is none.
 * @throws WrongFolder when it is not of this kind, RunFolderError when it cannot be read
 */
export async function readRunFile<Run>({
  kind,
  path,
  store,
  location,
}: Pick<RunFolder<Run>, 'kind' | 'path' | 'store' | 'location'>): Promise<Run | undefined> {
  const file = location === undefined ? join(path, RUN_FILE) : `${location}/${RUN_FILE}`;
  const text = location === undefined ? await readTextIfThere(file, path) : await store.read(RUN_FILE);
  if (text === undefined) return undefined;
  let content: unknown;
  let kindName: RunKind;
  try {
    content = JSON.parse(text);
    ({ kind: kindName } = kindSchema.parse(content));
    if (kindName === kind.name) return kind.file.parse(content);
  } catch (error) {
    const reason = error instanceof z.ZodError ? describeIssues(RUN_FILE, error, content) : String(error);
    const problem = `${file} is not the run.json of a run of this program:\n${reason}`;
    if (!(await kind.hasPlan(store))) {
      throw new WrongFolder(`${problem}\nName another ${kind.flag}.`, { cause: error });
    }
    throw new RunFolderError(
      `${problem}\nDelete it and repeat the same command: the run is kept in .cupid, and is continued from there.`,
      { cause: error },
    );
  }
  throw createWrongFolderError(kind, KINDS[kindName], path);
}

function createWrongFolderError(
  { flag }: FolderKind<unknown, unknown>,
  { described }: Pick<FolderKind<unknown, unknown>, 'described'>,
  path: string,
): WrongFolder {
  return new WrongFolder(`${path} contains ${described}. Name another ${flag}.`);
}

const kindSchema = z.object({ kind: runKindSchema });
