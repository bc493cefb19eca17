import type { Card } from '../card/read';
import type { DataFile } from '../store/named-file';

/** A data set in CUPID form whose files were found and hashed; its rows are not read yet. */
export interface DataSet {
  /** Name given by the user: a file, a folder, or an id of the Hub. */
  readonly argument: string;
  /** The file, or the folder of several files, as given; `hub:owner/name@commit` for the Hub. */
  readonly source: string;
  /** Full hash of the files' commit on the Hub. */
  readonly commit?: string;
  /** In the order of their rows. */
  readonly files: readonly DataFile[];
  /** Hash of a single file; for several files, the hash over their hashes (hexadecimal, a line each) in order. */
  readonly sha256: string;
  /** Path of its `provenance.parquet`. */
  readonly provenance?: string;
  /** Its card (README.md); absent if it has none. */
  readonly card?: Card;
  /** Name of the card in messages. */
  readonly cardName?: string;
  /** Whether a model that made it was simulated, by its provenance or card; undefined if neither says so. */
  readonly simulated: boolean | undefined;
  /** GUID that identifies it in training data, by its card or files; undefined if neither has one. */
  readonly canary: string | undefined;
}
