import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** A directory that is deleted after the test file. */
export function createTemporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'cupid-test-'));
  afterAll(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}
