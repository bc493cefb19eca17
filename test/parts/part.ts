/**
 * Requirements of tests besides `npm ci`:
 * - `temporal`: Temporal's development server, which every test outside test/unit/ needs
 * - `browser`: Chromium or Chrome
 * - `storage`: an S3-compatible server
 * - `cluster`: Temporal's server for a cluster, with its SQL tool
 * - `postgres`: the programs of PostgreSQL
 * - `nodes`: a directory of other versions of Node.js
 * - `python`: Python 3.11 or newer
 * - `readers`: a Python with the current readers of data sets
 * - `old-readers`: a directory of Pythons with older versions of `datasets`
 * - `validators`: a Python with the validators of exported formats
 */
export type PartName =
  | 'temporal'
  | 'browser'
  | 'storage'
  | 'cluster'
  | 'postgres'
  | 'nodes'
  | 'python'
  | 'readers'
  | 'old-readers'
  | 'validators';

/** Path of a part, or the reason why it is missing. */
export type Part =
  | { readonly path: string }
  | {
      readonly missing: string;
      /** Command that installs it. */
      readonly command: string;
    };

/** Receives a line for each slow step. */
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
