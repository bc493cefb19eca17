/**
 * What tests need besides `npm ci`:
 * - `temporal`: Temporal's development server, which every test outside test/unit/ needs
 * - `browser`: Chromium or Chrome
 * - `storage`: an S3-compatible server
 * - `cluster`: Temporal's server for a cluster, with its SQL tool
 * - `postgres`: the programs of PostgreSQL
 * - `python`: Python 3.11 or newer
 * - `readers`: a Python with the current readers of data sets
 * - `old-readers`: a directory of Pythons with older versions of `datasets`
 */
export type PartName =
  | 'temporal'
  | 'browser'
  | 'storage'
  | 'cluster'
  | 'postgres'
  | 'python'
  | 'readers'
  | 'old-readers';

/** Where a part is, or why it cannot be had here. */
export type Part =
  | { readonly path: string }
  | {
      readonly missing: string;
      /** The command that installs it. */
      readonly command: string;
    };

/** Called with what takes long, a line at a time. */
export type Report = (line: string) => void;

export class MissingPart extends Error {
  override readonly name = 'MissingPart';
  constructor(
    reason: string,
    readonly command: string,
    options?: ErrorOptions,
  ) {
    super(reason, options);
  }
}
