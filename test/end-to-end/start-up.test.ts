import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import * as z from 'zod';
import { createTemporaryFolder } from '../temporary-folder';
import { runCupid } from './command';

const folder = createTemporaryFolder();
const MISSING = join(folder, 'missing');
const SIMULATED = 'simulated:default';
const PRELOAD = `--require=${join(__dirname, 'loaded-packages.js')}`;

/** Lists the packages that a command loads, whatever it prints and however it ends. */
async function packagesOf(args: readonly string[]): Promise<string[]> {
  const { stderr } = await runCupid(args, { NODE_OPTIONS: PRELOAD });
  return z.array(z.string()).parse(JSON.parse(stderr.slice(stderr.lastIndexOf('\n'))));
}

const ENGINE = /^@temporalio\/|^@grpc\/|^protobufjs$|^rxjs$/;
const PROVIDER = /^openai$|^@anthropic-ai\/|^@aws-sdk\/|^@smithy\/|^@google\/|^together-ai$/;
const ARROW = /^apache-arrow$|^parquet-wasm$/;
const DRAWING = /^preact|^@observablehq\/|^@mixmark-io\//;

test.each([
  [['--help']],
  [['synth', '--help']],
  [['eval', '--no-such-option']],
  [['synth', '--model', 'simulated:default?speed=3']],
])('cupid %j loads the parser of the command line only', async (args) => {
  expect(await packagesOf(args)).toEqual(['commander']);
});

test.each([
  [['models']],
  [['doctor']],
  [['failures', MISSING]],
  [['synth', '--output-dir', MISSING, '--model', SIMULATED, '--estimate']],
  [['synth', '--output-dir', MISSING, '--model', SIMULATED, '--seeds', MISSING]],
])('cupid %j loads no engine, no provider and no Arrow', async (args) => {
  const packages = await packagesOf(args);
  expect(packages).toContain('zod');
  expect(packages.filter((name) => [ENGINE, PROVIDER, ARROW].some((kind) => kind.test(name)))).toEqual([]);
});

// These read and write Arrow's types, or measure data by them.
test.each([
  [['validate', MISSING]],
  [['explore', MISSING]],
  [['export', MISSING, '--output-dir', join(folder, 'exported')]],
  [['import', MISSING, '--output-dir', join(folder, 'imported')]],
  [['publish', MISSING, '--repo', 'owner/name', '--dry-run']],
  [['eval', '--results-dir', MISSING, '--data', MISSING, '--model', SIMULATED, '--evaluator', SIMULATED]],
])('cupid %j loads no engine, no provider and nothing that draws', async (args) => {
  const packages = await packagesOf(args);
  expect(packages).toContain('zod');
  expect(packages.filter((name) => [ENGINE, PROVIDER, DRAWING].some((kind) => kind.test(name)))).toEqual([]);
});

test('a command ends, although a library left something running', async () => {
  const hook = join(folder, 'endless.js');
  writeFileSync(hook, 'setInterval(() => undefined, 1_000);');
  const { code, stdout } = await runCupid(['models'], { NODE_OPTIONS: `--require=${hook}` });
  expect(code).toBe(0);
  expect(stdout).toContain('Prices in US dollars');
});

test('stack traces name the sources', async () => {
  const hook = join(folder, 'trace.js');
  writeFileSync(hook, 'process.stdout.write = () => process.stderr.write(new Error().stack);');
  const { stderr } = await runCupid(['models'], { NODE_OPTIONS: `--require=${hook}` });
  expect(stderr).toMatch(/cli\/output\.ts:\d+:\d+/);
  expect(stderr).toMatch(/cli\/operate\/models\.ts:\d+:\d+/);
  expect(stderr).not.toMatch(/dist\/cli\/(?!main)/);
});
