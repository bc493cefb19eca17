import { execFileSync, spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import * as z from 'zod';
import { bin, dependencies } from '../../package.json';
import { formatCodeVersion } from '../../workers/workflow-bundle';
import { createTemporaryFolder } from '../temporary-folder';
import { startCupid, type Ended } from '../end-to-end/command';

const ROOT = join(__dirname, '..', '..');
const folder = createTemporaryFolder();
const installed = join(folder, 'package');
const SIMULATED = 'simulated:default';
let packed: readonly string[];

/** Rejects connections to other machines, which the installed program must not need. */
const LOOPBACK_ONLY = `
const net = require('node:net');
const connect = net.Socket.prototype.connect;
net.Socket.prototype.connect = function (...args) {
  const [options] = Array.isArray(args[0]) ? args[0] : args;
  const { host = 'localhost', path } = options;
  if (path === undefined && !/^(localhost|127\\.0\\.0\\.1|::1)$/.test(host)) throw new Error('no connection to ' + host);
  return connect.apply(this, args);
};
`;
const hook = join(folder, 'loopback-only.cjs');

beforeAll(() => {
  writeFileSync(hook, LOOPBACK_ONLY);
  // `--ignore-scripts`, because "prepare" builds, and other tests run the built program.
  const answer = execFileSync('npm', ['pack', '--ignore-scripts', '--json', `--pack-destination=${folder}`], {
    cwd: ROOT,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  const [tarball] = packSchema.parse(JSON.parse(answer));
  packed = tarball.files.map(({ path }) => path);
  execFileSync('tar', ['-xzf', join(folder, tarball.filename), '-C', folder]);
  // Links exactly the packages that package.json names, because an installation takes minutes.
  for (const name of Object.keys(dependencies)) {
    const link = join(installed, 'node_modules', name);
    mkdirSync(dirname(link), { recursive: true });
    symlinkSync(join(ROOT, 'node_modules', name), link);
  }
});

const packSchema = z.tuple([
  z.object({ filename: z.string(), files: z.array(z.object({ path: z.string() })) }),
]);

/** Runs the installed command without a network. */
async function runInstalled(...args: readonly string[]): Promise<Ended> {
  return startCupid(args, { NODE_OPTIONS: `--require=${hook}` }, join(installed, bin.cupid)).ended;
}

test('the package holds what runs, its documentation, and nothing else', () => {
  const documented = /^docs\/([\w-]+\.md|(memory|own-model)\/[\w-]+\.(py|mjs))$/;
  const others = packed.filter((path) => !path.startsWith('dist/') && !documented.test(path)).toSorted();
  expect(others).toEqual([
    'CHANGELOG.md',
    'CITATION.cff',
    'LICENSE',
    'README.md',
    'bin/cupid.js',
    'npm-shrinkwrap.json',
    'package.json',
  ]);
  expect(packed).toEqual(expect.arrayContaining(['docs/data-sets.md', 'docs/memory/template.py']));
  expect(packed.filter((path) => /\.tsx?$|^dist\/(bench|build|test)\//.test(path))).toEqual([]);
  const read = readdirSync(join(ROOT, 'data'), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && !entry.name.endsWith('.ts'))
    .map((entry) => join('dist', relative(ROOT, join(entry.parentPath, entry.name))));
  expect(read).toContain('dist/data/seeds/seeds.txt');
  const pages = ['index.html', 'explore.css', 'explore.js'].map((name) => `dist/pages/explore/page/${name}`);
  expect([...read, ...pages].filter((path) => !packed.includes(path))).toEqual([]);
});

test('each bundled package is listed with its license', () => {
  const maps = packed.filter((path) => /^dist\/cli\/.*\.map$/.test(path));
  const sources = maps.flatMap((map) => mapSchema.parse(JSON.parse(readInstalled(map))).sources);
  const bundled = new Set(sources.flatMap((source) => PACKAGE.exec(source)?.[1] ?? []));
  expect([...bundled]).toEqual(expect.arrayContaining(['@anthropic-ai/sdk', '@aws-sdk/client-s3', 'yaml']));
  const licenses = readInstalled('dist/third-party-licenses.txt').matchAll(/^(\S+) \d+\.\S+ \(.+\)$/gm);
  const listed = new Set(Array.from(licenses, ([, name]) => name));
  // The tokenizer has no source map.
  expect([...bundled, 'gpt-tokenizer'].filter((name) => !listed.has(name))).toEqual([]);
});

const mapSchema = z.object({ sources: z.array(z.string()) });
const PACKAGE = /.*node_modules\/((?:@[^/]+\/)?[^/]+)/;

function readInstalled(path: string): string {
  return readFileSync(join(installed, path), 'utf8');
}

test.each([
  [
    'the command',
    'bin/cupid.js',
    /^cupid: The program in .* is not built\. Run there: npm ci --include=dev && npm run build\n$/,
  ],
  [
    'the builder',
    'build/build.mjs',
    /^cupid cannot be built here \(.*'esbuild'.*\)\. To build it, run: npm ci --include=dev .*\n$/,
  ],
])('without what builds the program, %s says in a line how to build it', (_, file, line) => {
  const clone = join(folder, 'clone');
  cpSync(join(ROOT, file), join(clone, file));
  const { status, stdout, stderr } = spawnSync(process.execPath, [file], { cwd: clone, encoding: 'utf8' });
  expect({ status, stdout, stderr }).toEqual({ status: 1, stdout: '', stderr: expect.stringMatching(line) });
});

test('the installed command names its version, commit and date', async () => {
  const { code, stdout } = await runInstalled('--version');
  expect(code).toBe(0);
  const { groups } = /^(?<name>\S+) \((?<source>[^)]*)\)\n$/.exec(stdout) ?? {};
  expect(groups?.['source']).toMatch(
    /^commit ([0-9a-f]{12}( with uncommitted changes)?, |unknown, built on )\d{4}-\d\d-\d\d$/,
  );
  // Cards, run.json and the explorer name the same version.
  const workflows = readFileSync(join(ROOT, 'dist', 'workers', 'workflows.bundle.js'), 'utf8');
  expect(groups?.['name']).toBe(formatCodeVersion(workflows));
});

test('the installed command runs offline', async () => {
  const out = join(folder, 'out');
  const results = join(folder, 'results');
  const commands = [
    ['--help'],
    ['synth', '--help'],
    ['models'],
    ['synth', '--output-dir', out, '--model', SIMULATED, '--n-personas=1', '--n-sessions=9', '--max-turns=2'],
    ['validate', out],
    ['eval', '--results-dir', results, '--data', out, '--model', SIMULATED, '--evaluator', SIMULATED],
  ];
  for (const args of commands) {
    const { code, stderr } = await runInstalled(...args);
    expect([args, code, code === 0 ? '' : stderr]).toEqual([args, 0, '']);
  }
});
