import { OWN_TAXONOMY_TAG } from '../../data/card/front-matter';
import { listSchemaColumns } from '../../data/readers/arrow/columns';
import type { DataSet } from '../../data/sets/data-set';
import type { DataFile } from '../../data/store/named-file';
import { readColumns } from '../../data/readers/file-columns';
import { findFormat } from '../../data/readers/formats';
import type { BadLine } from '../../data/readers/json-lines';
import { Keys, type RowKey } from '../../data/sets/keys';
import { type Kind, listRequiredColumns } from '../../data/sets/kinds';
import type { Row, FileColumn } from '../../data/readers/row';
import { readFileRows, getRowWord } from '../../data/readers/rows';
import type { Place } from '../../rules/validation/finding';
import { VALIDATION_RULES } from '../../schemas/dataset/validation';
import { validateColumns, isWithin } from './columns';
import { Findings, type Problem } from './findings';
import { JsonColumns } from './json-columns';
import type { RankedFinding } from './watches';
import { buildRecordBatches, ROWS_PER_BATCH } from '../../data/tables/batches';
import type { Columns } from '../../data/tables/columns';
import { computeMemoryBytes } from '../../data/tables/memory-size';

export interface PassOptions<Content> {
  /** Whether this program wrote the data set. */
  readonly ours: boolean;
  /** Gets every sound row, in order; the place counts rows through all files. */
  readonly show: (content: Content, place: Place) => void;
  readonly signal: AbortSignal | undefined;
  /** Called after every row with the number of rows so far. */
  readonly progress: (rows: number) => void;
}

/** One reading of a data set: checks its columns and each row's form, and passes the sound rows on to further checks. */
export class DataSetPass<Content extends RowKey> {
  readonly findings: Findings;
  /** Personas with a row that is not sound. */
  readonly unsound = new Set<string>();
  /** Whether a model that made the rows was simulated; undefined while nothing says it. */
  simulated: boolean | undefined;
  rows = 0;
  readonly #hasOwnTypes: boolean;
  readonly #keys = new Keys();
  readonly #personas = new Set<string>();
  /** The files in order, and how many rows (of JSON lines, lines) there are before each. */
  readonly #files: { readonly name: string; readonly before: number }[] = [];
  #memoryBytes: number | undefined;
  #last: string | undefined;
  #nextIsUnsound = false;

  constructor(
    readonly dataSet: DataSet,
    readonly kind: Kind<Content>,
    private readonly options: PassOptions<Content>,
  ) {
    this.findings = new Findings(options.ours);
    this.simulated = dataSet.simulated;
    this.#hasOwnTypes = dataSet.card?.tags.includes(OWN_TAXONOMY_TAG) === true;
    const isCounted = dataSet.card?.ours === true;
    this.#memoryBytes =
      isCounted && dataSet.files.every(({ name }) => findFormat(name) === 'parquet') ? 0 : undefined;
  }

  get ours(): boolean {
    return this.options.ours;
  }

  get personas(): number {
    return this.#personas.size;
  }

  /** Returns the size of the rows in memory as `datasets` counts it. Undefined when it is not needed or cannot be known. */
  get memoryBytes(): number | undefined {
    return this.#memoryBytes;
  }

  /** @throws DataError when a file is not whole */
  async run(): Promise<void> {
    const expected = listSchemaColumns(this.kind.columns);
    let before = 0;
    for (const file of this.dataSet.files) {
      this.#files.push({ name: file.name, before });
      before += await this.#read(file, expected, before);
    }
    const [first] = this.#files;
    if (this.rows > 0 || first === undefined || this.findings.counts['missing-column'] !== undefined) return;
    this.findings.add(first.name, {
      rule: 'no-rows',
      message: `the file has no rows. Use a file with ${this.kind.name}, or leave it out.`,
    });
  }

  /** Adds what was found in all rows together; of a persona with a row that is not sound, nothing that this may be the reason of. */
  addFound(findings: readonly RankedFinding[]): void {
    for (const problem of findings) {
      const isStructure = VALIDATION_RULES[problem.rule] === 'structure';
      if (!isStructure || !this.unsound.has(problem.persona_id)) this.addAt(problem);
    }
  }

  /** @param problem its row is counted through all files; undefined for what is about the data set as a whole */
  addAt({ row, ...problem }: Problem): void {
    const file = row === undefined ? this.#files[0] : this.#files.findLast(({ before }) => before < row);
    if (file === undefined) return;
    this.findings.add(file.name, { ...problem, ...(row !== undefined && { row: row - file.before }) });
  }

  /** Gives the number of the file's last row. */
  async #read(file: DataFile, expected: readonly FileColumn[], before: number): Promise<number> {
    const columns = await readColumns(file);
    const problems = columns === undefined ? [] : validateColumns(expected, columns);
    for (const problem of problems) this.findings.add(file.name, problem);
    const repeated = problems.filter(({ rule }) => rule === 'repeated-column');
    const broken = problems.filter(({ rule }) => rule === 'column-type' || rule === 'missing-column');
    const names = listRequiredColumns(this.kind).filter(
      (name) =>
        (columns?.some((column) => column.name === name) ?? true) &&
        !repeated.some(({ field = '' }) => isWithin(field, [name])),
    );
    if (names.length === 0) return 0;
    const checks: RowChecks = {
      file,
      json: columns === undefined ? new JsonColumns(expected) : undefined,
      reported: [...broken, ...repeated].map(({ field = '' }) => field),
    };
    const size = this.#memoryBytes === undefined ? undefined : new MemorySize(this.kind.columns);
    let last = 0;
    for await (const row of readFileRows(file, names)) {
      this.options.signal?.throwIfAborted();
      this.rows += 1;
      last = row.number;
      const content = this.#check(row, checks);
      if (content === undefined) {
        this.#memoryBytes = undefined;
      } else {
        await size?.add(content);
        this.options.show(content, { row: before + row.number, ...pickRowKey(content) });
      }
      this.options.progress(this.rows);
    }
    if (this.#memoryBytes !== undefined && size !== undefined) this.#memoryBytes += await size.end();
    return last;
  }

  /** Returns the content of a row, or undefined when it is not sound. */
  #check(row: Row | BadLine, { file, json, reported }: RowChecks): Content | undefined {
    const value = 'problem' in row ? undefined : row.value;
    const key = pickRowKey(value);
    const add = (problem: Problem) => this.findings.add(file.name, { row: row.number, ...key, ...problem });
    if ('problem' in row) {
      add({ rule: 'unreadable-row', message: row.problem });
      this.#seen(key.persona_id, false);
      return undefined;
    }
    for (const problem of json?.add(value) ?? []) add(problem);
    const checked = this.kind.check(value);
    if ('problems' in checked) {
      for (const problem of checked.problems) {
        // A problem of a column recurs in each of its values.
        const isReported = problem.rule !== 'malformed-unicode' && isWithin(problem.field ?? '', reported);
        if (!isReported) add(problem);
      }
      this.#seen(key.persona_id, false);
      return undefined;
    }
    for (const { isOwnType = false, ...lapse } of checked.lapses) {
      if (!isOwnType || !this.#hasOwnTypes) add(lapse);
    }
    const duplicate = this.#keys.add(checked.row, `${file.name}, ${getRowWord(file)} ${row.number}`);
    if (duplicate !== undefined) add(duplicate);
    this.#seen(key.persona_id, duplicate === undefined);
    return duplicate === undefined ? checked.row : undefined;
  }

  /** Remembers a row's persona. A row that does not name one is taken to belong to its neighbors' persona, as the rows of a persona stand together. */
  #seen(persona: string | undefined, isSound: boolean): void {
    if (persona !== undefined) {
      this.#personas.add(persona);
      if (!isSound || this.#nextIsUnsound) this.unsound.add(persona);
      this.#nextIsUnsound = false;
    } else {
      if (this.#last !== undefined) this.unsound.add(this.#last);
      this.#nextIsUnsound = true;
    }
    this.#last = persona ?? this.#last;
  }
}

interface RowChecks {
  readonly file: DataFile;
  readonly json: JsonColumns | undefined;
  /** Columns that are known to be missing or of another type. */
  readonly reported: readonly string[];
}

function pickRowKey(value: RowKey): RowKey;
function pickRowKey(value: unknown): Partial<RowKey>;
function pickRowKey(value: unknown): Partial<RowKey> {
  if (typeof value !== 'object' || value === null) return {};
  return Object.fromEntries(
    ['persona_id', 'instance_type'].flatMap((name) => {
      const part: unknown = Reflect.get(value, name);
      return typeof part === 'string' && part.trim() !== '' ? [[name, part]] : [];
    }),
  );
}

/** Counts what `datasets` will say that a Parquet file of these rows takes in memory (`num_bytes`), with a batch of rows at a time. */
class MemorySize<Kept extends object> {
  #batch: Kept[] = [];
  #bytes = 0;

  constructor(private readonly columns: Columns<Kept>) {}

  async add(row: Kept): Promise<void> {
    this.#batch.push(row);
    if (this.#batch.length === ROWS_PER_BATCH) await this.end();
  }

  /** Returns the size in memory of all rows so far, in bytes. */
  async end(): Promise<number> {
    for await (const batch of buildRecordBatches(this.columns, this.#batch)) {
      this.#bytes += computeMemoryBytes(batch, 'parquet');
    }
    this.#batch = [];
    return this.#bytes;
  }
}
