import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Creates a directory that is deleted after the test file, even if an ending process still writes to it. */
export function createTemporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'cupid-test-'));
  afterAll(() => rmSync(folder, { recursive: true, force: true, maxRetries: 10 }));
  return folder;
}

/** Creates a directory that is emptied after each test. */
export function createEmptiedFolder(): string {
  const folder = createTemporaryFolder();
  afterEach(() => {
    for (const name of readdirSync(folder)) {
      rmSync(join(folder, name), { recursive: true, force: true, maxRetries: 10 });
    }
  });
  return folder;
}
