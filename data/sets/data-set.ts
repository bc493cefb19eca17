import type { Card } from '../card/read';

/** A CUPID-form data set that was found: its files are there and hashed, their rows not yet read. */
export interface DataSet {
  /** As it was named: a file, a folder, or an id of the Hub. */
  readonly given: string;
  /** The file, or the folder of several, by the way it was given; of the Hub `hub:owner/name@commit`. */
  readonly source: string;
  /** The Hub's commit that the files are of, in full. */
  readonly commit?: string;
  /** In the order of their rows. */
  readonly files: readonly DataFile[];
  /** Of one file its own; of several, over their hashes (hexadecimal, a line each) in order. */
  readonly sha256: string;
  /** Path of the `provenance.parquet` that came with it. */
  readonly provenance?: string;
  /** What its card (README.md) says; absent when it has none. */
  readonly card?: Card;
  /** As messages name that. */
  readonly cardName?: string;
  /** Whether a model that made it was simulated, according to its provenance or its card; undefined when neither says so. */
  readonly simulated: boolean | undefined;
}

/** A file that is read. */
export interface NamedFile {
  readonly path: string;
  /** As messages name it: by the way it was given, or its path in the Hub's repository. */
  readonly name: string;
  /** The folder above it that the user named, below which no link is followed; absent for a file that the user named, and of the Hub. */
  readonly within?: string | undefined;
}

export interface DataFile extends NamedFile {
  /** Hexadecimal. */
  readonly sha256: string;
  readonly bytes: number;
}
