import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Creates a directory that is deleted after the test file, even if an ending process still writes to it. */
export function createTemporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'cupid-test-'));
  afterAll(() => rmSync(folder, { recursive: true, force: true, maxRetries: 10 }));
  return folder;
}

/** Creates a directory for each test. They are deleted after the test file. */
export function createFolderInEach(use: (folder: string) => void): void {
  const all = createTemporaryFolder();
  beforeEach(() => use(mkdtempSync(join(all, 'test-'))));
}
