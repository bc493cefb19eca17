import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { PROGRAM_FOLDER } from '../data/program-folder';
import { version } from '../package.json';

/** File with the version that the build wrote. */
const VERSION_FILE = join(PROGRAM_FOLDER, 'version.txt');

/** Returns the text of `cupid --version`: the version as cards and the explorer name it, and the commit and date of the source. */
export function describeVersion(): string {
  try {
    return readFileSync(VERSION_FILE, 'utf8').trim();
  } catch {
    // The program runs from its source, without a build.
    return `${version} (commit unknown, not built)`;
  }
}
