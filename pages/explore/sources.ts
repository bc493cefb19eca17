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
import { readProvenanceRows } from '../../data/sets/provenance';
import { locateData, type OpenOptions } from '../../data/sets/open';
import { findLockHolder } from '../../data/store/lock';
import { openRunStore } from '../../data/store/open-store';
import { findEvaluation, type StoredEvaluation } from '../../runs/evaluate/outcomes';
import { findResults } from '../../runs/evaluate/read-results';
import { openNamedData } from '../../publishing/validation/named-data';
import { buildProvenance } from '../../rules/instances/provenance';
import { splitInstances } from '../../rules/instances/split';
import { isIncluded } from '../../rules/statistics/run-statistics';
import { findDataHash } from '../../runs/folder/data-hash';
import { requireDirectories } from '../../data/store/own-file';
import { getLockFile } from '../../runs/folder/run-lock';
import { findOpenRun, readRunFile, type OpenSynthesis, type RunFolder } from '../../runs/folder/run-folder';
import type { Instance } from '../../schemas/dataset/instance';
import { provenanceSchema, type Provenance } from '../../schemas/dataset/provenance';
import type { StoredPersona } from '../../schemas/dataset/record';
import { isSimulatedRun } from '../../engine/model-facts/roles';
import { VERIFICATION_FILES, VERIFICATION_FOLDER } from '../../schemas/verification/verification';
import { omitUndefined } from '../../schemas/omit-undefined';
import { readReviewPlan, REVIEW_FOLDER } from '../../runs/review/folder';
import { type InstanceFacts, listRunInstances } from './run-facts';
import { RowFile } from '../../data/store/row-file';
import { CARD, findText, hasFile } from '../../data/folders/folder';
import { RUN_OUTPUT } from '../../data/folders/choose';
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
  /** Returns whether something may still be added. */
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
  readonly instances: InstanceSource;
  /** Folders of evaluations whose results can be read. */
  readonly results: readonly ResultsFolder[];
  /** Reasons why other results cannot be read. */
  readonly problems: readonly string[];
  /** Name of the run or data set on the command line; absent if the instances are those of the results. */
  readonly data?: string;
  /** Path of the `verification.parquet`, which may appear later. */
  readonly verification?: string;
  /** Folder of a review, which may be started later. */
  readonly review?: string;
  /** The synthesis run to explore. */
  readonly run?: OpenSynthesis;
}

export interface ResultsFolder {
  readonly name: string;
  readonly path: string;
  /** SHA-256 of the evaluated data, as in `results.json`; absent while there is none. */
  readonly dataSha256?: string | undefined;
}

/**
 * Opens at most one synthesis run or data set, and any number of results folders of evaluations or a verification. If
 * no data is named, the instances are those of the first evaluation.
 * @throws DataError when a name is neither a run, results nor data, or more than one run or data set is named
 */
export async function openSources(names: readonly string[], options: OpenOptions): Promise<Sources> {
  const results: ResultsFolder[] = [];
  const problems: string[] = [];
  const data: string[] = [];
  let verification: string | undefined;
  let review: string | undefined;
  for (const name of names) {
    const verified = join(name, VERIFICATION_FILES.rows);
    if (await hasFile(verified)) verification = verified;
    else if ((await readReviewPlan(name)) !== undefined) review = name;
    else if (await isResultsFolder(name)) {
      try {
        const dataSha256 = (await findResults(name))?.results.data.sha256;
        results.push({ name, path: name, dataSha256 });
      } catch (error) {
        problems.push(getReason(error));
      }
    } else data.push(name);
  }
  const [location, secondLocation] = data;
  if (secondLocation !== undefined) {
    for (const name of data) await locateData(name);
    throw new DataError(
      `Neither ${location} nor ${secondLocation} contains results, so both would be data. Name one of them, and beside it only folders that cupid eval or cupid verify wrote.`,
    );
  }
  const namedFolders = { problems, ...omitUndefined({ verification, review }) };
  if (location === undefined)
    return { ...(await openResultsInstances(names, results)), results, ...namedFolders };
  const run = (await hasPlan(await openRunStore(location))) ? await findOpenRun(location) : undefined;
  if (run?.kind !== 'synthesis')
    return { instances: await openDataSet(location, options), data: location, results, ...namedFolders };
  await requireDirectories(join(location, VERIFICATION_FOLDER), location);
  verification ??= join(location, VERIFICATION_FOLDER, VERIFICATION_FILES.rows);
  await requireDirectories(join(location, REVIEW_FOLDER), location);
  review ??= join(location, REVIEW_FOLDER);
  return { instances: createRunSource(run), data: location, run, results, problems, verification, review };
}

async function isResultsFolder(name: string): Promise<boolean> {
  return (await hasEvaluationPlan(await openRunStore(name))) || hasFile(join(name, 'results.parquet'));
}

/** Opens the instances that an evaluation or a verification keeps a copy of. */
async function openResultsInstances(
  names: readonly string[],
  results: readonly ResultsFolder[],
): Promise<Pick<Sources, 'instances'>> {
  for (const folder of [...results.map(({ path }) => path), ...names]) {
    const evaluation = await findEvaluation(folder);
    if (evaluation !== undefined) return { instances: createEvaluationSource(evaluation) };
  }
  throw new DataError(
    `${names.join(', ')} has results, but not their instances: its .cupid is missing. Name the data as well: cupid explore DATA ${names.join(' ')}`,
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

/** Returns whether a process drives the run of a folder. `cupid server` also locks the folder of a finished run. */
export async function isInProgress(
  folder: Pick<RunFolder<{ readonly state: string }>, 'kind' | 'path' | 'store'>,
): Promise<boolean> {
  const holder = await findLockHolder(getLockFile(folder.path), folder.path);
  return holder !== undefined && (await readRunFile(folder))?.state !== 'finished';
}

/** Creates a source of a run's instances. Each persona appears as soon as its record is stored. */
function createRunSource({ folder, plan }: OpenSynthesis): InstanceSource {
  const { settings } = plan.inputs;
  const personaNumbers = new Set<number>();
  const { store, run } = folder;
  const simulated = isSimulatedRun(plan.inputs);
  const facts = { ...plan.inputs, simulated, codeVersion: run?.codeVersion ?? '' };
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
      const stored = await findStoredPersona(store, Math.floor(place / INSTANCE_TYPES.length));
      const split = stored && splitInstances(stored.record, settings.seed)[place % INSTANCE_TYPES.length];
      if (stored === undefined || split === undefined)
        throw new DataError('The record of this persona no longer exists. Reload the page.');
      return { instance: split.instance, stored, provenance: buildProvenance(stored, split, facts) };
    },
    findHash: () => findDataHash(folder),
    isLive: () => isInProgress(folder),
  };
}

/**
 * Opens the instances of a file, a folder or a data set of the Hub. Parquet files are read by their row groups. Rows of
 * other formats, and of large row groups, are copied to a temporary file on the first reading.
 */
async function openDataSet(location: string, options: OpenOptions): Promise<InstanceSource> {
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
  for (const file of dataSet.files) files.push({ file, table: await openTable(file, columns) });
  const provenance = dataSet.provenance === undefined ? undefined : openProvenance(dataSet.provenance);
  // The promise may reject before an instance awaits it.
  provenance?.catch(() => undefined);
  const jsonRows = new RowFile();
  const places: { readonly table: ParquetTable | undefined; readonly number: number }[] = [];
  let isRead = false;
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
            ? { table, number: row.number }
            : { table: undefined, number: await jsonRows.add(checked.row) };
          yield { place: places.push(place) - 1, instance: checked.row };
        }
      }
    },
    async read(at) {
      const place = places[at];
      const value =
        place === undefined
          ? undefined
          : await (place.table?.readRow(place.number) ?? jsonRows.read(place.number));
      const checked = INSTANCES.check(value);
      if (!('row' in checked))
        throw new DataError(`${location} has changed since it was read. Start cupid explore again.`);
      const { persona_id: persona, instance_type: type } = checked.row;
      const origin = await (await provenance)?.find(persona, type);
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

/** Opens a `provenance.parquet` for lookups by the keys of instances. */
async function openProvenance(path: string): Promise<{
  find(persona: string, type: InstanceType): Promise<Provenance | undefined>;
}> {
  const file = { path, name: path, within: dirname(path) };
  const table = await openParquetTable(file, Object.keys(provenanceSchema.shape));
  const numbers = new Map<string, number>();
  for await (const { number, persona, type } of readProvenanceRows(path)) {
    numbers.set(buildInstanceKey({ persona_id: persona, instance_type: type }), number);
  }
  return {
    async find(persona, type) {
      const number = numbers.get(buildInstanceKey({ persona_id: persona, instance_type: type }));
      if (number === undefined) return undefined;
      return provenanceSchema.parse(await table.readRow(number));
    },
  };
}
