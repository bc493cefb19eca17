import { describeRescore } from '../../data/sets/results';
import { basename, dirname, join, resolve } from 'node:path';
import type * as z from 'zod';
import { openParquetTable, type ParquetTable, readParsedRows } from '../../data/readers/parquet-table';
import { parseRow } from '../../data/readers/parse-row';
import { DataError } from '../../data/store/data-error';
import { hashText } from '../../data/store/files';
import { buildInstanceKey } from '../../schemas/dataset/instance-type';
import { openRunStore } from '../../data/store/open-store';
import { comparedSchema } from '../../runs/evaluate/read-results';
import { findEvaluation, readRowsOfTrial } from '../../runs/evaluate/outcomes';
import { getRowResult } from '../../schemas/evaluation/measure';
import { getSetting } from '../../rules/scores/cells';
import { listTrials } from '../../rules/method/evaluation-work';
import { EVALUATION } from '../../runs/folder/run-folder';
import { RESULTS } from '../../schemas/evaluation/results';
import { evaluationRowSchema, type EvaluationRow } from '../../schemas/evaluation/evaluation';
import type { ListedScore, MissingScores, ResultColumn, ResultView } from './answers';
import { compareScores, type ScoreOutcome } from './filter';
import type { SnapshotFiles } from './snapshot-files';
import { isInProgress, type ResultsFolder } from './sources';
import type { DataOrigin } from './verdicts';
import { hasFile } from '../../data/folders/folder';

/** Results of several folders by instance: numbers in memory, texts in their files. */
export class ResultsIndex {
  readonly columns: ResultColumn[] = [];
  isSimulated = false;
  readonly #numbers = new Map<string, number>();
  readonly #scores = new Map<string, ListedScore[]>();
  readonly #missing = new Map<string, MissingScores>();
  readonly #folders: OpenResults[] = [];

  /** @param addressNames names of the folders in addresses of the page, by their names */
  private constructor(private readonly addressNames: ReadonlyMap<string, string>) {}

  static async open(folders: readonly ResultsFolder[], files: SnapshotFiles): Promise<ResultsIndex> {
    const index = new ResultsIndex(chooseAddressNames(folders.map(({ name }) => name)));
    for (const folder of folders) index.#folders.push(await openResults(folder, files));
    return index;
  }

  /** Returns the scores of an instance, one for each column that has it. */
  get(key: string): readonly ListedScore[] {
    return this.#scores.get(key) ?? [];
  }

  /** Counts the instances on which one column has a higher, an equal and a lower score than another. */
  compare(firstColumn: number, secondColumn: number): Record<ScoreOutcome, number> {
    const counts = { win: 0, tie: 0, loss: 0 };
    for (const scores of this.#scores.values()) {
      const outcome = compareScores(scores, firstColumn, secondColumn);
      if (outcome !== undefined) counts[outcome] += 1;
    }
    return counts;
  }

  /** Finds a column. Undefined if none of its rows was read yet. */
  findColumn(column: UnnumberedColumn): ResultColumn | undefined {
    const number = this.#numbers.get(nameColumn(column));
    return number === undefined ? undefined : this.columns[number];
  }

  /**
   * Reads new results. Returns whether there were any.
   * @param report receives what is wrong with a folder; the others are read all the same
   */
  async extend(report: (error: unknown) => void): Promise<boolean> {
    let isNew = false;
    for (const folder of this.#folders) {
      try {
        for await (const row of folder.scan()) {
          this.#add(folder.name, row);
          isNew = true;
        }
      } catch (error) {
        report(error);
      }
    }
    return isNew;
  }

  #add(source: string, row: ScannedRow): void {
    const column = this.#numberColumn(source, row);
    const key = buildInstanceKey(row);
    const scores = this.#scores.get(key) ?? [];
    const otherScores = scores.filter((score) => score.column !== column);
    this.#scores.set(key, [...otherScores, { column, state: row.state, value: getRowResult(row) }]);
    // The rows of a trial in progress are read more than once.
    if (row.state === 'missing' && otherScores.length === scores.length) this.#addMissing(column, row);
    this.isSimulated ||= row.simulated;
  }

  /** Lists the missing scores by column and failed call, those of the first columns first. */
  get missing(): readonly MissingScores[] {
    return [...this.#missing.values()].toSorted((a, b) => a.column.number - b.column.number);
  }

  #addMissing(
    number: number,
    { missing_step: step, missing_kind: kind, missing_cause: cause }: ScannedRow,
  ): void {
    const column = this.columns[number];
    if (column === undefined) return;
    const name = JSON.stringify([number, step, kind]);
    const missing = this.#missing.get(name) ?? {
      column,
      step: step ?? '',
      kind: kind ?? '',
      causes: [],
      count: 0,
    };
    const isNew = cause !== null && !missing.causes.includes(cause) && missing.causes.length < CAUSES_LISTED;
    const causes = isNew ? [...missing.causes, cause] : missing.causes;
    this.#missing.set(name, { ...missing, causes, count: missing.count + 1 });
  }

  /** Reads all results of an instance, in the order of the columns. */
  async read(key: string): Promise<ResultView[]> {
    const views: ResultView[] = [];
    for (const folder of this.#folders) {
      for (const row of await folder.read(key))
        views.push({ column: this.#numberColumn(folder.name, row), row });
    }
    return views.toSorted((a, b) => a.column - b.column);
  }

  /** Lists the data that each folder evaluates. */
  get origins(): readonly DataOrigin[] {
    return this.#folders.map(({ name, sha256 }) => ({ folder: name, sha256 }));
  }

  async isLive(): Promise<boolean> {
    const states = await Promise.all(this.#folders.map((folder) => folder.isLive()));
    return states.includes(true);
  }

  #numberColumn(source: string, row: ColumnRow): number {
    const column = { ...getSetting(row), model: row.model, source };
    const name = nameColumn(column);
    const knownNumber = this.#numbers.get(name);
    if (knownNumber !== undefined) return knownNumber;
    const number = this.columns.length;
    const address = { ...column, source: this.addressNames.get(source) ?? source };
    this.columns.push({ ...column, number, id: hashText(nameColumn(address)).slice(0, ID_CHARACTERS) });
    this.#numbers.set(name, number);
    return number;
  }
}

type UnnumberedColumn = Omit<ResultColumn, 'number' | 'id'>;

function nameColumn(column: UnnumberedColumn): string {
  return JSON.stringify([column.source, column.model, getSetting(column)]);
}

/** Chooses the names of folders in addresses: without their paths, which differ between machines, unless two names are equal. */
function chooseAddressNames(names: readonly string[]): ReadonlyMap<string, string> {
  const shortNames = names.map((name) => basename(resolve(name)));
  return new Map(
    names.map((name, at) => {
      const short = shortNames[at] ?? name;
      return [name, shortNames.indexOf(short) === shortNames.lastIndexOf(short) ? short : name];
    }),
  );
}

/** Few enough for a short address, and enough for thousands of columns without two of the same id. */
const ID_CHARACTERS = 8;

type ColumnRow = Omit<UnnumberedColumn, 'source'>;
type ScannedRow = z.infer<typeof scannedSchema>;

const CAUSES_LISTED = 3;

interface OpenResults {
  readonly name: string;
  /** Hash of the data; undefined if the folder does not record it. */
  readonly sha256: string | undefined;
  /** Reads the rows that are new since the last scan. */
  scan(): AsyncGenerator<ScannedRow>;
  read(key: string): Promise<EvaluationRow[]>;
  isLive(): Promise<boolean>;
}

async function openResults(
  { name, path, isFollowed, results }: ResultsFolder,
  files: SnapshotFiles,
): Promise<OpenResults> {
  const store = await openRunStore(path);
  const isLive = async () => isFollowed && (await isInProgress({ kind: EVALUATION, path, store }));
  const file = join(path, RESULTS.rows);
  // Its scan reports what is wrong with a link, for example.
  const hasRows = await hasFile(file).catch(() => true);
  if (isFollowed || !hasRows) return { name, isLive, ...(await openStoredResults(path)) };
  return { name, isLive, sha256: results?.data.sha256, ...createTableResults(file, files) };
}

/** Reads the results file that an evaluation wrote at its end. */
function createTableResults(path: string, files: SnapshotFiles): Pick<OpenResults, 'scan' | 'read'> {
  const numbers = new Map<string, number[]>();
  let opening: Promise<ParquetTable> | undefined;
  let isRead = false;
  return {
    async *scan() {
      if (isRead) return;
      isRead = true;
      for await (const { number, row } of readParsedRows(path, scannedSchema, describeRescore(path))) {
        const key = buildInstanceKey(row);
        numbers.set(key, [...(numbers.get(key) ?? []), number]);
        yield row;
      }
      await files.requireSame(path);
    },
    async read(key) {
      const rowNumbers = numbers.get(key);
      if (rowNumbers === undefined) return [];
      // Opened for the first instance that is read, because the file has a thread of its own while it is opened.
      opening ??= openParquetTable(
        { path, name: path, within: dirname(path) },
        Object.keys(evaluationRowSchema.shape),
      );
      const values = await files.readSame(path, async () => {
        const table = await opening;
        const rows: (readonly [number: number, value: unknown])[] = [];
        for (const number of rowNumbers) rows.push([number, await table?.readRow(number)]);
        return rows;
      });
      return values.map(([number, value]) =>
        parseRow(evaluationRowSchema, value, `${path}, row ${number}`, describeRescore(path)),
      );
    },
  };
}

const { simulated, missing_step, missing_kind, missing_cause } = evaluationRowSchema.shape;
const scannedSchema = comparedSchema.extend({ simulated, missing_step, missing_kind, missing_cause });

/** Reads the results of an evaluation in progress from its journal. */
async function openStoredResults(path: string): Promise<Pick<OpenResults, 'sha256' | 'scan' | 'read'>> {
  const evaluation = await findEvaluation(path);
  if (evaluation === undefined)
    throw new DataError(
      `${path} has neither results.parquet nor a .cupid. Name the --results-dir of a cupid eval.`,
    );
  const trials = listTrials(evaluation.inputs, evaluation.index);
  let open = trials;
  return {
    sha256: evaluation.inputs.data.sha256,
    async *scan() {
      const openTrials: typeof trials = [];
      for (const trial of open) {
        const { results } = await readRowsOfTrial(evaluation, trial);
        if (results.some(({ row }) => row.state === 'open')) openTrials.push(trial);
        for (const { row } of results) if (row.state !== 'open') yield row;
      }
      open = openTrials;
    },
    async read(key) {
      const indexed = evaluation.index.find((entry) => buildInstanceKey(entry) === key);
      const instanceTrials = trials.filter(({ instance }) => instance === indexed?.number);
      const trialRows = await Promise.all(instanceTrials.map((trial) => readRowsOfTrial(evaluation, trial)));
      return trialRows.flatMap(({ results }) => results.map(({ row }) => row));
    },
  };
}
