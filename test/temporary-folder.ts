import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** A directory that is deleted after the test file, though a process that is just ending may still write to it. */
export function createTemporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'cupid-test-'));
  afterAll(() => rmSync(folder, { recursive: true, force: true, maxRetries: 10 }));
  return folder;
}
