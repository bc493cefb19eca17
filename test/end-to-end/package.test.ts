import { execFile } from 'node:child_process';
import { readdirSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import * as z from 'zod';
import { version } from '../../package.json';
import { createTemporaryFolder } from '../temporary-folder';
import { buildBareEnvironment } from './command';

const ROOT = join(__dirname, '..', '..');
const folder = createTemporaryFolder();
const empty = join(folder, 'empty');
const run = promisify(execFile);
const packedSchema = z.tuple([z.object({ filename: z.string() })]);

test('npx runs it from an empty folder that it was installed into', async () => {
  const pack = ['pack', '--ignore-scripts', '--json', '--pack-destination', folder];
  const { stdout } = await run('npm', pack, { cwd: ROOT });
  const [{ filename }] = packedSchema.parse(JSON.parse(stdout));
  mkdirSync(empty);
  writeFileSync(join(empty, 'package.json'), '{}');
  const npm = async (command: 'npm' | 'npx', ...args: readonly string[]) =>
    (await run(command, args, { cwd: empty, env: buildBareEnvironment() })).stdout;
  await npm('npm', 'install', '--prefer-offline', '--no-audit', '--no-fund', join(folder, filename));
  expect(await npm('npx', 'cupid', '--version')).toMatch(new RegExp(`^${version}\\+[0-9a-f]{12} \\(commit `));
  expect(await npm('npx', 'cupid', '--help')).toContain('synth');
  const options = ['--model=simulated:default', '--n-personas=1', '--n-sessions=9', '--max-turns=2'];
  await npm('npx', 'cupid', 'synth', '--output-dir=out', ...options);
  expect(readdirSync(join(empty, 'out'))).toEqual(
    expect.arrayContaining(['CUPID-Raw', 'CUPID-Unverified', 'provenance.parquet', 'run.json']),
  );
});
