import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readdirSync, rmSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import * as z from 'zod';
import ClosingLineReporter from '../../closing-line-reporter';
import { runInstaller } from '../../parts/installer';
import { getPart, hasPart, needing } from '../../parts/needing';
import type { PartName } from '../../parts/part';
import { startParts, writePart } from '../../parts/prepared';
import { createTemporaryFolder } from '../../temporary-folder';

const folder = createTemporaryFolder();
const before = { ...process.env };
const folders: string[] = [];

beforeEach(() => {
  delete process.env['CI'];
  announce(['browser', 'storage', 'cluster']);
  writePart('browser', { path: '/usr/bin/chromium' });
  writePart('storage', { missing: 'There is no Go here.', command: 'install-go' });
  writePart('cluster', { missing: 'There is no Go here either.', command: 'install-go' });
});
afterEach(() => {
  jest.restoreAllMocks();
  for (const name of Object.keys(process.env)) delete process.env[name];
  Object.assign(process.env, before);
});

afterAll(() => folders.forEach((path) => rmSync(path, { recursive: true })));

describe('tests that need a part', () => {
  test('run where it is there', () => {
    expect(needing('browser').test).toBe(test);
    expect(getPart('browser')).toBe('/usr/bin/chromium');
  });

  test('are skipped where it is missing', () => {
    expect(needing('browser', 'storage')).toEqual({ describe: describe.skip, test: test.skip });
    expect(hasPart('storage')).toBe(false);
    expect(() => getPart('storage')).toThrow('The part storage is missing.');
  });

  test('fail with CI=true where it is missing', () => {
    process.env['CI'] = 'true';
    expect(() => needing('browser', 'storage')).toThrow('Missing: storage.');
  });

  test('wait for one that is being installed', async () => {
    announce(['browser']);
    const parts = readPartsFolder();
    const installer = spawn('sh', [
      '-c',
      'sleep 0.3; printf %s "$1" >"$0/new"; mv "$0/new" "$0/browser"',
      parts,
      '{"path":"/later"}',
    ]);
    expect(getPart('browser')).toBe('/later');
    await once(installer, 'close');
  });

  test('fail where nobody prepared it', () => {
    expect(() => needing('postgres')).toThrow("Name it in the test file: needing('postgres').");
  });
});

describe('the last lines of a test run', () => {
  const results = { numPassedTests: 5, numFailedTests: 1, numRuntimeErrorTestSuites: 1, numTodoTests: 0 };

  test('say what is missing and how to install it, then count', () => {
    expect(printAfter({ ...results, numPendingTests: 2 })).toEqual([
      '',
      '2 tests were skipped. Parts that tests need are missing: cluster, storage.',
      '- cluster: There is no Go here either.',
      '- storage: There is no Go here.',
      'To fix this, run: install-go',
      '',
      '5 passed, 2 failed, 2 skipped',
      '',
    ]);
  });

  test('only count where nothing is missing', () => {
    announce([]);
    expect(printAfter({ ...results, numPendingTests: 0 })).toEqual(['5 passed, 2 failed', '']);
  });
});

describe('deploy/install-parts', () => {
  test('without Go says what is missing and how to install Go, and leaves nothing behind', async () => {
    const programs = join(folder, 'programs');
    mkdirSync(programs);
    for (const name of ['bash', 'mkdir', 'mktemp', 'rm', 'tr', 'uname']) {
      symlinkSync(`/bin/${name}`, join(programs, name));
    }
    const environment = [`PATH=${programs}`, `XDG_CACHE_HOME=${join(folder, 'cache')}`];
    const script = ['/usr/bin/env', '-i', ...environment, 'bash', 'deploy/install-parts', 'storage'] as const;
    const lines: string[] = [];
    await expect(runInstaller(script, (line) => lines.push(line))).rejects.toMatchObject({
      message: expect.stringMatching(/^The Versity S3 Gateway [\d.]+ is missing: .*there is no Go here\.$/),
      command: expect.stringContaining('https://go.dev/dl/go'),
    });
    expect(lines).toHaveLength(2);
    expect(readdirSync(join(folder, 'cache', 'cupid-test'))).toEqual([]);
  });
});

/** Announces parts; their directory is removed in the end, which Jest's main process does by itself. */
function announce(names: readonly PartName[]): void {
  startParts(names);
  folders.push(readPartsFolder());
}

function readPartsFolder(): string {
  return partsSchema.parse(JSON.parse(process.env['CUPID_TEST_PARTS'] ?? '')).folder;
}

const partsSchema = z.object({ folder: z.string() });

function printAfter(of: Parameters<ClosingLineReporter['onRunComplete']>[1]): string[] {
  let printed = '';
  jest.spyOn(process.stdout, 'write').mockImplementation((text) => Boolean((printed += String(text))));
  jest.spyOn(process, 'once').mockImplementation((_, listener) => {
    listener();
    return process;
  });
  new ClosingLineReporter().onRunComplete(new Set(), of);
  return printed.split('\n');
}
