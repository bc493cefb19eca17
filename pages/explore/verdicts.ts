import { dirname } from 'node:path';
import { parseRow } from '../../data/readers/parse-row';
import { findEntry } from '../../data/store/own-file';
import { openParquetTable, readParsedRows, type ParquetTable } from '../../data/readers/parquet-table';
import { readVerificationResults, VERIFY_AGAIN } from '../../data/sets/verification';
import { buildInstanceKey } from '../../schemas/dataset/instance-type';
import {
  countedVerdictsSchema,
  verificationRowSchema,
  type CountedVerdicts,
  type VerificationRow,
} from '../../schemas/verification/verification';

/** A results folder, and the hash of its data. */
export interface DataOrigin {
  readonly folder: string;
  /** Undefined if the folder does not record it. */
  readonly sha256: string | undefined;
}

/** Findings of `cupid verify` by the keys of instances; empty until their file exists. */
export class Verdicts {
  #known = new Map<string, KnownVerdicts>();
  #table: ParquetTable | undefined;
  #fileState: string | undefined;
  /** How often the file was read: 0 if there is none. */
  version = 0;
  /** The data that were verified; undefined until the file is read. */
  origin: DataOrigin | undefined;

  /** @param path of `verification.parquet`; undefined to look for none */
  constructor(private readonly path: string | undefined) {}

  get(key: string): CountedVerdicts | undefined {
    return this.#known.get(key)?.verdicts;
  }

  /** Reads the findings on an instance. Undefined if it was not verified. */
  async readRow(key: string): Promise<VerificationRow | undefined> {
    const number = this.#known.get(key)?.number;
    const row = number === undefined ? undefined : await this.#table?.readRow(number);
    return row === undefined
      ? undefined
      : parseRow(verificationRowSchema, row, `${this.path}, row ${number}`, VERIFY_AGAIN);
  }

  /** Reads the file if it is new or was replaced. Returns whether it was read. @throws DataError when the file is incomplete */
  async refresh(): Promise<boolean> {
    if (this.path === undefined) return false;
    const stats = await findEntry(this.path, dirname(this.path));
    const state = stats && [stats.ino, stats.size, stats.mtimeMs].join(' ');
    if (state === undefined || state === this.#fileState) return false;
    // A file with a problem is not read again before it changes.
    this.#fileState = state;
    const byKey = new Map<string, KnownVerdicts>();
    for await (const { number, row } of readParsedRows(this.path, countedVerdictsSchema, VERIFY_AGAIN)) {
      byKey.set(buildInstanceKey(row), { number, verdicts: row });
    }
    this.#table = await openParquetTable(
      { path: this.path, name: this.path, within: dirname(this.path) },
      Object.keys(verificationRowSchema.shape),
    );
    const folder = dirname(this.path);
    this.origin = { folder, sha256: (await readVerificationResults(folder))?.data.sha256 };
    this.#known = byKey;
    this.version += 1;
    return true;
  }
}

interface KnownVerdicts {
  /** Number of the row. */
  readonly number: number;
  readonly verdicts: CountedVerdicts;
}
