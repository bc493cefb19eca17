import { execFile } from 'node:child_process';
import { readdirSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { z } from 'zod';
import { name, version } from '../../package.json';
import { createTemporaryFolder } from '../temporary-folder';
import { buildBareEnvironment } from './command';

const ROOT = join(__dirname, '..', '..');
const folder = createTemporaryFolder();
const empty = join(folder, 'empty');
const run = promisify(execFile);

const packedSchema = z.array(
  z.object({ filename: z.string(), files: z.array(z.object({ path: z.string() })) }),
);

let packed: z.infer<typeof packedSchema>[number];

beforeAll(async () => {
  const pack = ['pack', '--ignore-scripts', '--json', '--pack-destination', folder];
  const { stdout } = await run('npm', pack, { cwd: ROOT });
  const [only] = packedSchema.parse(JSON.parse(stdout));
  if (only === undefined) throw new Error('npm packed nothing.');
  packed = only;
});

test('the package has what runs, its documentation, and nothing else', () => {
  const paths = packed.files.map(({ path }) => path);
  expect(packed.filename).toBe(`${name}-${version}.tgz`);
  expect(paths).toEqual(
    expect.arrayContaining([
      'dist/cli/main.js',
      'dist/workers/workflows.bundle.js',
      'dist/data/models/openai.json',
      'docs/data-sets.md',
      'CHANGELOG.md',
      'LICENSE',
      'README.md',
    ]),
  );
  const others = paths.filter(
    (path) =>
      !/^(dist\/|docs\/([\w-]+\.md$|own-model\/)|[A-Z]+(\.md|\.cff)?$|(package|npm-shrinkwrap)\.json$)/.test(
        path,
      ),
  );
  expect(others).toEqual([]);
  expect(paths.filter((path) => /\.(ts|tsx|test\.js)$/.test(path))).toEqual([]);
});

test('npx runs it from an empty folder that it was installed into', async () => {
  mkdirSync(empty);
  writeFileSync(join(empty, 'package.json'), '{}');
  const npm = async (command: 'npm' | 'npx', ...args: readonly string[]) =>
    (await run(command, args, { cwd: empty, env: buildBareEnvironment() })).stdout;
  await npm('npm', 'install', '--prefer-offline', '--no-audit', '--no-fund', join(folder, packed.filename));
  expect(await npm('npx', 'cupid', '--version')).toMatch(new RegExp(`^${version} \\(commit `));
  expect(await npm('npx', 'cupid', '--help')).toContain('synth');
  const options = ['--model=simulated:default', '--n-personas=1', '--n-sessions=9', '--max-turns=2'];
  await npm('npx', 'cupid', 'synth', '--output-dir=out', ...options);
  expect(readdirSync(join(empty, 'out'))).toEqual(
    expect.arrayContaining(['CUPID-Raw', 'CUPID-Unverified', 'provenance.parquet', 'run.json']),
  );
});
