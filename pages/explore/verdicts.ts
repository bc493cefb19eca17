import { dirname } from 'node:path';
import { parseRow } from '../../data/readers/parse-row';
import { hasFile } from '../../data/folders/folder';
import { openParquetTable, readParsedRows, type ParquetTable } from '../../data/readers/parquet-table';
import { readVerificationResults, VERIFY_AGAIN } from '../../data/sets/verification';
import { buildInstanceKey } from '../../schemas/dataset/instance-type';
import {
  countedVerdictsSchema,
  verificationRowSchema,
  type CountedVerdicts,
  type VerificationResults,
  type VerificationRow,
} from '../../schemas/verification/verification';
import type { SnapshotFiles } from './snapshot-files';

/** A results folder, and the hash of its data. */
export interface DataOrigin {
  readonly folder: string;
  /** Undefined if the folder does not record it. */
  readonly sha256: string | undefined;
}

/** Findings of `cupid verify` by the keys of instances; empty without their file. */
export class Verdicts {
  readonly #known = new Map<string, KnownVerdicts>();
  #table: ParquetTable | undefined;
  /** Content of `verification.json`; undefined until it is read. */
  results: VerificationResults | undefined;

  /** @param path of `verification.parquet`; undefined to look for none */
  constructor(
    private readonly path: string | undefined,
    private readonly files: SnapshotFiles,
  ) {}

  get isEmpty(): boolean {
    return this.#known.size === 0;
  }

  /** Returns the data that were verified; undefined without verdicts. */
  get origin(): DataOrigin | undefined {
    return this.path === undefined || this.#table === undefined
      ? undefined
      : { folder: dirname(this.path), sha256: this.results?.data.sha256 };
  }

  get(key: string): CountedVerdicts | undefined {
    return this.#known.get(key)?.verdicts;
  }

  /** Reads the findings on an instance. Undefined if it was not verified. @throws DataError when the file was replaced */
  async readRow(key: string): Promise<VerificationRow | undefined> {
    const { path } = this;
    const [number, table] = [this.#known.get(key)?.number, this.#table];
    if (path === undefined || number === undefined || table === undefined) return undefined;
    const row = await this.files.readSame(path, () => table.readRow(number));
    return parseRow(verificationRowSchema, row, `${path}, row ${number}`, VERIFY_AGAIN);
  }

  /** Reads the files, if there are any. @throws DataError when one is invalid */
  async read(): Promise<void> {
    const { path } = this;
    if (path === undefined) return;
    this.results = await readVerificationResults(dirname(path));
    if (!(await hasFile(path))) return;
    for await (const { number, row } of readParsedRows(path, countedVerdictsSchema, VERIFY_AGAIN)) {
      this.#known.set(buildInstanceKey(row), { number, verdicts: row });
    }
    this.#table = await openParquetTable(
      { path, name: path, within: dirname(path) },
      Object.keys(verificationRowSchema.shape),
    );
  }
}

interface KnownVerdicts {
  /** Number of the row. */
  readonly number: number;
  readonly verdicts: CountedVerdicts;
}
