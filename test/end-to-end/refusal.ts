import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Ended } from './command';

/** Expects that the command ended with this code, said all of this on standard error, and gave nothing out. */
export function expectRefusal(ended: Ended, code: number, says: readonly string[]): void {
  expect(ended).toMatchObject({ code, stdout: '' });
  for (const part of says) expect(ended.stderr).toContain(part);
  expectNoStackTrace(ended);
}

/** Expects messages, and no stack trace among them. */
export function expectNoStackTrace({ stdout, stderr }: Ended): void {
  expect(`${stdout}\n${stderr}`).not.toMatch(/^ {4}at /m);
}

/** Every file below a folder, by its path from there, with a hash of its bytes; nothing where there is no folder. */
export function filesBelow(folder: string): Map<string, string> {
  if (!existsSync(folder)) return new Map();
  const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) =>
    entry.isFile(),
  );
  return new Map(
    files.map((entry) => {
      const file = join(entry.parentPath, entry.name);
      return [
        file.slice(folder.length + 1),
        createHash('sha256').update(readFileSync(file)).digest('hex'),
      ] as const;
    }),
  );
}
