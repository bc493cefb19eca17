import { dirname, join } from 'node:path';
import { findStoredPersona, listStoredPersonas } from '../../data/run/artifacts';
import { hasEvaluationPlan } from '../../data/run/evaluation-plan';
import { hasPlan } from '../../data/run/inputs';
import { getRowWord, readFileRows } from '../../data/readers/rows';
import { openParquetTable, type ParquetTable } from '../../data/readers/parquet-table';
import { findFormat } from '../../data/readers/formats';
import type { DataFile } from '../../data/store/named-file';
import { DataError, getReason } from '../../data/store/data-error';
import { buildInstanceKey, INSTANCE_TYPES, type InstanceType } from '../../schemas/dataset/instance-type';
import { INSTANCES, listRequiredColumns } from '../../data/sets/kinds';
import { readWholeProvenance } from '../../data/sets/provenance';
import { readEvaluationResults } from '../../data/sets/results';
import { locateData, type OpenOptions } from '../../data/sets/open';
import { findLockHolder } from '../../data/store/lock';
import { openRunStore } from '../../data/store/open-store';
import { findEvaluation, type StoredEvaluation } from '../../runs/evaluate/outcomes';
import { openNamedData } from '../../publishing/validation/named-data';
import { buildProvenance } from '../../rules/instances/provenance';
import { splitInstances } from '../../rules/instances/split';
import { isIncluded } from '../../rules/statistics/run-statistics';
import { findDataHash } from '../../runs/folder/data-hash';
import { requireDirectories } from '../../data/store/own-file';
import { getLockFile, isDriven } from '../../runs/folder/run-lock';
import {
  EVALUATION,
  findOpenRun,
  readRunFile,
  RUN_FILE,
  type OpenSynthesis,
  type RunFolder,
} from '../../runs/folder/run-folder';
import type { Instance } from '../../schemas/dataset/instance';
import { provenanceSchema, type Provenance } from '../../schemas/dataset/provenance';
import type { StoredPersona } from '../../schemas/dataset/record';
import { isSimulatedRun } from '../../engine/model-facts/roles';
import { RESULTS, type EvaluationResults } from '../../schemas/evaluation/results';
import { VERIFICATION_FILES, VERIFICATION_FOLDER } from '../../schemas/verification/verification';
import { omitUndefined } from '../../schemas/omit-undefined';
import { readReviewPlan, REVIEW_FOLDER } from '../../runs/review/folder';
import { type InstanceFacts, listRunInstances } from './run-facts';
import { RowFile } from '../../data/store/row-file';
import { SnapshotFiles } from './snapshot-files';
import { CARD, findText, hasFile, listFiles } from '../../data/folders/folder';
import { mayBeData, RUN_OUTPUT } from '../../data/folders/choose';
import { readCard } from '../../data/card/read';

/** A source of instances. It scans them in a stable order, and can read each again by its place. */
interface InstanceSource {
  readonly simulated: boolean | undefined;
  /** Reads the license that the card of the data names; undefined without one. */
  findLicense(): Promise<string | undefined>;
  /** Number of instances; undefined if it is unknown or may grow. */
  readonly total: number | undefined;
  /** Reads the instances that are new since the last scan. An invalid row yields its problem. */
  scan(): AsyncGenerator<ScannedInstance | { readonly problem: string }>;
  read(place: number): Promise<DetailedInstance>;
  /** Returns the SHA-256 of the data. Undefined while their run is in progress. */
  findHash(): Promise<string | undefined>;
  /** Returns whether something may still be added: only by a run that was in progress when the sources were opened. */
  isLive(): Promise<boolean>;
  close?(): Promise<void>;
}

interface ScannedInstance {
  readonly place: number;
  readonly instance: Instance;
  readonly facts?: InstanceFacts;
}

export interface DetailedInstance {
  readonly instance: Instance;
  /** Present if the source is a synthesis run. */
  readonly stored?: StoredPersona;
  readonly provenance?: Provenance;
}

/** The sources that the command line names. */
export interface Sources {
  readonly files: SnapshotFiles;
  readonly instances: InstanceSource;
  /** Folders of evaluations whose results can be read. */
  readonly results: readonly ResultsFolder[];
  /** Reasons why other results cannot be read. */
  readonly problems: readonly string[];
  /** Name of the run or data set on the command line; absent if the instances are those of the results. */
  readonly data?: string;
  /** Path of the `verification.parquet`, which need not exist. */
  readonly verification?: string;
  /** Folder of a review, which need not be started. */
  readonly review?: string;
  /** The synthesis run to explore. */
  readonly run?: OpenSynthesis;
}

export interface ResultsFolder {
  readonly name: string;
  readonly path: string;
  /** True if the evaluation was in progress when the sources were opened. Its rows are then read from its answers, as they come. */
  readonly isFollowed: boolean;
  /** Content of `results.json`; undefined without one, and for an evaluation in progress, whose earlier numbers do not fit its rows. */
  readonly results: EvaluationResults | undefined;
}

/**
 * Opens at most one synthesis run or data set, and any number of results folders of evaluations or a verification. If
 * no data is named, the instances are those of the first evaluation.
 * @throws DataError when a name is neither a run, results nor data, or more than one run or data set is named
 */
export async function openSources(names: readonly string[], options: OpenOptions): Promise<Sources> {
  const files = new SnapshotFiles();
  const results: ResultsFolder[] = [];
  const problems: string[] = [];
  const data: string[] = [];
  let verification: string | undefined;
  let review: string | undefined;
  /** Returns undefined if the reading fails, which is then a problem: the rest of the folder is shown. */
  const attempt = <T>(reading: Promise<T>): Promise<T | undefined> =>
    reading.catch((error: unknown) => {
      problems.push(getReason(error));
      return undefined;
    });
  for (const name of names) {
    const problemCount = problems.length;
    const verified = join(name, VERIFICATION_FILES.rows);
    if ((await attempt(hasFile(verified))) === true) verification = verified;
    else if ((await readReviewPlan(name)) !== undefined) review = name;
    else if (
      (await hasEvaluationPlan(await openRunStore(name))) ||
      (await attempt(hasFile(join(name, RESULTS.rows)))) === true
    ) {
      const folder = await attempt(openResultsFolder(name, files));
      if (folder !== undefined) results.push(folder);
    } else if (problems.length === problemCount || (await holdsData(name))) data.push(name);
  }
  const [location, secondLocation] = data;
  if (secondLocation !== undefined) {
    for (const name of data) await locateData(name);
    throw new DataError(
      `Neither ${location} nor ${secondLocation} contains results, so both would be data. Name one of them, and beside it only folders that cupid eval or cupid verify wrote.`,
    );
  }
  const watchJudgements = async () => {
    if (verification !== undefined) {
      const folder = dirname(verification);
      await files.watchFile(join(folder, VERIFICATION_FILES.summary), folder);
      await files.watchFile(verification, folder);
    }
    if (review !== undefined) await files.watchReview(review);
    return { files, results, problems, ...omitUndefined({ verification, review }) };
  };
  if (location === undefined)
    return { ...(await openResultsInstances(names, results, problems)), ...(await watchJudgements()) };
  const run = (await hasPlan(await openRunStore(location))) ? await findOpenRun(location) : undefined;
  if (run?.kind !== 'synthesis')
    return {
      instances: await openDataSet(location, files, {
        ...options,
        skipProvenance: (reason) => problems.push(reason),
      }),
      data: location,
      ...(await watchJudgements()),
    };
  const isReachable = async (folder: string) =>
    (await attempt(requireDirectories(join(location, folder), location))) !== undefined;
  if (await isReachable(VERIFICATION_FOLDER))
    verification ??= join(location, VERIFICATION_FOLDER, VERIFICATION_FILES.rows);
  if (await isReachable(REVIEW_FOLDER)) review ??= join(location, REVIEW_FOLDER);
  return { instances: await openRunSource(run, files), data: location, run, ...(await watchJudgements()) };
}

/** @throws DataError when the folder's `results.json` is invalid */
async function openResultsFolder(path: string, files: SnapshotFiles): Promise<ResultsFolder> {
  for (const name of [RESULTS.summary, RESULTS.rows]) await files.watchFile(join(path, name), path);
  const evaluation = { kind: EVALUATION, path, store: await openRunStore(path) };
  const isFollowed = await isInProgress(evaluation);
  if (!isFollowed) await files.watchRun(path, () => isInProgress(evaluation));
  const results = isFollowed ? undefined : await readEvaluationResults(path);
  return { name: path, path, isFollowed, results };
}

/** Returns whether a folder has a run or data beside results that cannot be read. */
async function holdsData(name: string): Promise<boolean> {
  if (await hasPlan(await openRunStore(name))) return true;
  const resultFiles: readonly string[] = [RESULTS.rows, VERIFICATION_FILES.rows];
  return (await listFiles(name)).some((file) => mayBeData(file) && !resultFiles.includes(file));
}

/** Opens the instances that an evaluation or a verification keeps a copy of. */
async function openResultsInstances(
  names: readonly string[],
  results: readonly ResultsFolder[],
  problems: readonly string[],
): Promise<Pick<Sources, 'instances'>> {
  for (const folder of [...results.map(({ path }) => path), ...names]) {
    const evaluation = await findEvaluation(folder);
    if (evaluation !== undefined) return { instances: createEvaluationSource(evaluation) };
  }
  throw new DataError(
    [
      ...problems,
      `${names.join(', ')} has results, but not their instances: its .cupid is missing. Name the data as well: cupid explore DATA ${names.join(' ')}`,
    ].join('\n'),
  );
}

function createEvaluationSource(evaluation: StoredEvaluation): InstanceSource {
  const { inputs, index } = evaluation;
  let next = 0;
  return {
    simulated: inputs.data.simulated,
    findLicense: async () => undefined,
    total: index.length,
    async *scan() {
      for (const { number: place } of index.slice(next)) {
        yield { place, instance: (await evaluation.instance(place)).instance };
        next += 1;
      }
    },
    read: async (place) => ({ instance: (await evaluation.instance(place)).instance }),
    findHash: async () => inputs.data.sha256,
    isLive: async () => false,
  };
}

/** Returns whether a process drives the run of a folder. A worker also locks the folder of a finished run. */
export async function isInProgress(
  folder: Pick<RunFolder<{ readonly state: string }>, 'kind' | 'path' | 'store'>,
): Promise<boolean> {
  const holder = await findLockHolder(getLockFile(folder.path), folder.path);
  return isDriven({ holder }) && (await readRunFile(folder))?.state !== 'finished';
}

/** Opens a run's instances. While it is in progress, each persona appears as soon as its record is stored. */
async function openRunSource({ folder, plan }: OpenSynthesis, files: SnapshotFiles): Promise<InstanceSource> {
  const { settings } = plan.inputs;
  const personaNumbers = new Set<number>();
  const { store, run } = folder;
  const simulated = isSimulatedRun(plan.inputs);
  const facts = { ...plan.inputs, simulated, codeVersion: run?.codeVersion ?? '' };
  // A run that has ended may be continued, which is another state.
  const watch = () => files.watchRun(folder.path, () => isInProgress(folder));
  let isFollowed = await isInProgress(folder);
  if (!isFollowed) await watch();
  return {
    simulated,
    async findLicense() {
      const card = await findText(join(folder.path, dirname(RUN_OUTPUT), CARD));
      return card === undefined ? undefined : readCard(card).license;
    },
    total: undefined,
    async *scan() {
      for (const { persona } of await listStoredPersonas(store)) {
        if (personaNumbers.has(persona)) continue;
        personaNumbers.add(persona);
        try {
          const stored = await findStoredPersona(store, persona);
          if (stored === undefined || !isIncluded(settings, stored)) continue;
          for (const [at, { instance, facts: instanceFacts }] of listRunInstances(
            stored,
            settings,
          ).entries()) {
            yield { place: persona * INSTANCE_TYPES.length + at, instance, facts: instanceFacts };
          }
        } catch (error) {
          yield { problem: getReason(error) };
        }
      }
    },
    async read(place) {
      const persona = Math.floor(place / INSTANCE_TYPES.length);
      const stored = await files.readSame(join(folder.path, RUN_FILE), () =>
        findStoredPersona(store, persona),
      );
      const split = stored && splitInstances(stored.record, settings.seed)[place % INSTANCE_TYPES.length];
      if (stored === undefined || split === undefined)
        throw new DataError(
          'The record of this persona no longer exists: its run makes it again. Reload the page later.',
        );
      return { instance: split.instance, stored, provenance: buildProvenance(stored, split, facts) };
    },
    findHash: () => findDataHash(folder),
    async isLive() {
      if (!isFollowed) return false;
      isFollowed = await isInProgress(folder);
      if (!isFollowed) await watch();
      return isFollowed;
    },
  };
}

/**
 * Opens the instances of a file, a folder or a data set of the Hub. Parquet files are read by their row groups. Rows of
 * other formats, and of large row groups, are copied to a temporary file on the first reading.
 */
async function openDataSet(
  location: string,
  snapshotFiles: SnapshotFiles,
  options: OpenOptions,
): Promise<InstanceSource> {
  const { dataSets } = await openNamedData(location, options);
  const dataSet = dataSets.find(({ kind }) => kind === 'instances')?.dataSet;
  if (dataSet === undefined) {
    throw new DataError(
      `${location} holds records, not instances. Name the run folder, or its CUPID-Unverified, instead.`,
    );
  }
  const columns = listRequiredColumns(INSTANCES);
  const files: { readonly file: DataFile; readonly table: ParquetTable | undefined }[] = [];
  // Tables are opened one after the other, because each takes a thread.
  for (const file of dataSet.files) {
    await snapshotFiles.watchFile(file.path, file.within, file.sha256);
    files.push({ file, table: await openTable(file, columns) });
  }
  if (dataSet.provenance !== undefined)
    await snapshotFiles.watchFile(dataSet.provenance, dirname(dataSet.provenance));
  const provenance =
    dataSet.provenance === undefined
      ? undefined
      : openProvenance(dataSet.provenance, snapshotFiles).then(
          (origins) => ({ origins, problem: undefined }),
          (error: unknown) => ({ origins: undefined, problem: getReason(error) }),
        );
  const jsonRows = new RowFile();
  const places: {
    readonly path: string;
    readonly table: ParquetTable | undefined;
    readonly number: number;
  }[] = [];
  let isRead = false;
  const readPlace = ({ path, table, number }: (typeof places)[number]) =>
    // Rows in the temporary file are copies.
    table === undefined ? jsonRows.read(number) : snapshotFiles.readSame(path, () => table.readRow(number));
  return {
    simulated: dataSet.simulated,
    findLicense: async () => dataSet.card?.license,
    total: countRows(files.map(({ table }) => table?.rowCount)),
    async *scan() {
      if (isRead) return;
      isRead = true;
      for (const { file, table } of files) {
        for await (const row of readFileRows(file, columns)) {
          const checked =
            'problem' in row ? { problems: [{ message: row.problem }] } : INSTANCES.check(row.value);
          if ('problems' in checked) {
            yield {
              problem: `${file.name}, ${getRowWord(file)} ${row.number}: ${checked.problems[0]?.message ?? ''}`,
            };
            continue;
          }
          const isRandom = table !== undefined && table.largestGroup <= GROUP_ROWS;
          const place = isRandom
            ? { path: file.path, table, number: row.number }
            : { path: file.path, table: undefined, number: await jsonRows.add(checked.row) };
          yield { place: places.push(place) - 1, instance: checked.row };
        }
      }
      const problem = (await provenance)?.problem;
      if (problem !== undefined) yield { problem };
    },
    async read(at) {
      const place = places[at];
      const value = place && (await readPlace(place));
      const checked = INSTANCES.check(value);
      if (!('row' in checked))
        throw new DataError(`${location} has changed since it was read. Choose “Show the new state”.`);
      const { persona_id: persona, instance_type: type } = checked.row;
      const origin = await (await provenance)?.origins?.find(persona, type);
      return { instance: checked.row, ...(origin === undefined ? {} : { provenance: origin }) };
    },
    findHash: async () => dataSet.sha256,
    isLive: async () => false,
    close: () => jsonRows.close(),
  };
}

/** About 50 MB of dialogues. Usual writers for the Hub put up to 1,000 rows into a row group; pandas puts all. */
const GROUP_ROWS = 2_000;

function countRows(counts: readonly (number | undefined)[]): number | undefined {
  return counts.reduce(
    (sum, count) => (sum === undefined || count === undefined ? undefined : sum + count),
    0,
  );
}

async function openTable(file: DataFile, columns: readonly string[]): Promise<ParquetTable | undefined> {
  return findFormat(file.name) === 'parquet' ? openParquetTable(file, columns) : undefined;
}

/**
 * Opens a `provenance.parquet` for lookups by the keys of instances.
 * @throws DataError when any of its rows cannot be read
 */
async function openProvenance(
  path: string,
  files: SnapshotFiles,
): Promise<{
  find(persona: string, type: InstanceType): Promise<Provenance | undefined>;
}> {
  const file = { path, name: path, within: dirname(path) };
  const table = await openParquetTable(file, Object.keys(provenanceSchema.shape));
  const numbers = new Map<string, number>();
  let number = 0;
  for await (const row of readWholeProvenance(path)) {
    number += 1;
    numbers.set(buildInstanceKey(row), number);
  }
  return {
    async find(persona, type) {
      const rowNumber = numbers.get(buildInstanceKey({ persona_id: persona, instance_type: type }));
      if (rowNumber === undefined) return undefined;
      return provenanceSchema.parse(await files.readSame(path, () => table.readRow(rowNumber)));
    },
  };
}
