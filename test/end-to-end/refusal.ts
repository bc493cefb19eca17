import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Ended } from './command';

/** Expects that the command ended with this code, said all of this on standard error, and gave nothing out. */
export function expectRefusal(ended: Omit<Ended, 'signal'>, code: number, says: readonly string[]): void {
  expect(ended).toMatchObject({ code, stdout: '' });
  for (const part of says) expect(ended.stderr).toContain(part);
  expectNoStackTrace(ended);
}

/** Expects messages, and no stack trace among them. */
export function expectNoStackTrace({ stdout, stderr }: Pick<Ended, 'stdout' | 'stderr'>): void {
  expect(`${stdout}\n${stderr}`).not.toMatch(/^ {4}at /m);
}

/**
 * Reads the content below a folder, by path: a hash for each file, and every directory, with the folder itself. Returns nothing when there
 * is no folder.
 */
export function readFilesBelow(folder: string): Map<string, string> {
  if (!existsSync(folder)) return new Map();
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true });
  return new Map([
    ['.', 'directory'],
    ...entries.map((entry): [string, string] => {
      const path = join(entry.parentPath, entry.name);
      const content = entry.isFile()
        ? createHash('sha256').update(readFileSync(path)).digest('hex')
        : 'directory';
      return [path.slice(folder.length + 1), content];
    }),
  ]);
}
