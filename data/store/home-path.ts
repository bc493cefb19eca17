import { homedir } from 'node:os';
import { join } from 'node:path';

/** Expands `~` at the beginning of a path. A shell does so in a word of its own, but not in `--output-dir=~/runs`. */
export function expandHome(path: string): string {
  return path === '~' || path.startsWith('~/') ? join(homedir(), path.slice(1)) : path;
}
