import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { PROGRAM_FOLDER } from '../data/program-folder';
import { version } from '../package.json';

/** File with the build's description of its source. */
const SOURCE_FILE = join(PROGRAM_FOLDER, 'source.txt');

/** Returns the text of `cupid --version`: the version, and the commit and date of the source. */
export function describeVersion(): string {
  return `${version} (${readSource()})`;
}

function readSource(): string {
  try {
    return readFileSync(SOURCE_FILE, 'utf8').trim();
  } catch {
    // The program runs from its source, without a build.
    return 'commit unknown, not built';
  }
}
