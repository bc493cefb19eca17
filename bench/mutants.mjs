/**
 * Measures how many small defects in `rules/` and `engine/` the unit tests find. It draws lines of code at random, and on each of them one mutant:
 * another operator, a negated condition, a removed statement, and so on. Each is tested in a copy of the repository: first by the test files whose
 * names are most like that of its file, then by all unit tests.
 *
 *   node bench/mutants.mjs [--mutants N] [--seed N] [--only N,N,…]
 *
 * --mutants  how many lines are drawn (default: 100)
 * --seed     seed of the draw (default: 1)
 * --only     numbers of the mutants to test (default: all)
 *
 * Two mutants are tested at a time, on an otherwise idle machine. One that the nearest test files find takes some seconds, any other as long as the unit tests.
 */
import { execFileSync, spawn } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { uniformInt } from 'pure-rand/distribution/uniformInt';
import { xoroshiro128plus } from 'pure-rand/generator/xoroshiro128plus';
import { listMutants } from './shared/list-mutants.mjs';
import { readOptions } from './shared/options.mjs';
import { printTable } from './shared/table.mjs';

const ROOT = join(import.meta.dirname, '..');
const LANES = 2;
const NEAREST = 6;

const { mutants: count, seed, only } = readOptions({ mutants: 100, seed: 1, only: '' });
const files = git('ls-files');
const tests = files.filter((file) => /^test\/unit\/.*\.test\.ts$/.test(file));
const mutants = drawMutants();
const selection = only === '' ? mutants : only.split(',').map((number) => mutants[number - 1]);
const folder = mkdtempSync(join(tmpdir(), 'cupid-mutants-'));
process.on('exit', () => rmSync(folder, { recursive: true, force: true }));
const copies = Array.from({ length: LANES }, (_, lane) => copyRepository(lane));

let timeoutMs = 60 * 60_000;
const startedAt = Date.now();
const [broken] = await listFailing(copies[0], []);
if (broken !== undefined) throw new Error(`${broken} fails without a mutant. Fix it first.`);
// A mutant that takes longer never ends.
timeoutMs = 5 * (Date.now() - startedAt);
const rows = new Map();
const queue = selection.values();
await Promise.all(copies.map((copy) => testMutants(queue, copy)));
printTable(
  `Mutants, commit ${git('rev-parse', '--short', 'HEAD')[0]}`,
  selection.map((mutant) => rows.get(mutant)),
);
const survivors = [...rows.values()].filter(({ outcome }) => outcome === 'survived').length;
console.log(`${survivors} of ${selection.length} mutants survived.`);

/** Draws lines that have a mutant, and one mutant of each. */
function drawMutants() {
  const generator = xoroshiro128plus(seed);
  const take = (items) => items.splice(uniformInt(generator, 0, items.length - 1), 1)[0];
  const lines = new Map();
  for (const file of files.filter((name) => /^(rules|engine)\/.*\.ts$/.test(name))) {
    for (const mutant of listMutants(file, readFileSync(join(ROOT, file), 'utf8'))) {
      const place = `${file}:${mutant.line}`;
      lines.set(place, [...(lines.get(place) ?? []), mutant]);
    }
  }
  const places = [...lines.values()];
  return Array.from({ length: count }, (_, index) => {
    const lineMutants = take(places);
    const subtleMutants = lineMutants.filter(({ isCrude }) => !isCrude);
    return { ...take(subtleMutants.length > 0 ? subtleMutants : lineMutants), number: index + 1 };
  });
}

async function testMutants(rest, copy) {
  for (const mutant of rest) {
    const { number, file, line, start, end, before, text } = mutant;
    const bytes = readFileSync(join(ROOT, file));
    const mutated = Buffer.concat([bytes.subarray(0, start), Buffer.from(text), bytes.subarray(end)]);
    writeFileSync(join(copy, file), mutated);
    const nearestFailing = await listFailing(copy, ['--runTestsByPath', ...findNearest(file)]);
    const [killer] = nearestFailing.length > 0 ? nearestFailing : await listFailing(copy, []);
    writeFileSync(join(copy, file), bytes);
    const outcome = killer === undefined ? 'survived' : `killed by ${killer}`;
    rows.set(mutant, {
      number,
      place: `${file}:${line}`,
      change: `${quote(before)} → ${quote(text)}`,
      outcome,
    });
    console.log(`${number}: ${outcome}`);
  }
}

/** Finds the test files whose paths have most words in common with that of a source file. */
function findNearest(source) {
  const words = source.split(/[/.-]/);
  const countShared = (test) => test.split(/[/.-]/).filter((word) => words.includes(word)).length;
  return tests.toSorted((a, b) => countShared(b) - countShared(a)).slice(0, NEAREST);
}

/** Returns the first test that fails, with its file. */
async function listFailing(copy, options) {
  const jest = [join(ROOT, 'node_modules/jest/bin/jest.js'), '--selectProjects', 'unit', '-i', '--bail'];
  const child = spawn(process.execPath, [...jest, ...options], {
    cwd: copy,
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  let output = '';
  child.stderr.setEncoding('utf8').on('data', (text) => (output += text));
  const timer = setTimeout(() => child.kill('SIGKILL'), timeoutMs);
  const [code, signal] = await new Promise((resolve) => child.once('close', (...ending) => resolve(ending)));
  clearTimeout(timer);
  if (code === 0) return [];
  if (signal !== null) return ['time'];
  const [, file = 'Jest'] = /^FAIL +(?:unit +)?(\S+)/m.exec(output) ?? [];
  return [`${file}: ${/^ +● (.*)/m.exec(output)?.[1] ?? 'no test'}`];
}

function copyRepository(name) {
  const copy = join(folder, String(name));
  for (const file of files) cpSync(join(ROOT, file), join(copy, file));
  symlinkSync(join(ROOT, 'node_modules'), join(copy, 'node_modules'));
  return copy;
}

function git(...args) {
  return execFileSync('git', args, { cwd: ROOT, encoding: 'utf8' }).trim().split('\n');
}

function quote(code) {
  return `\`${code.replace(/\s+/g, ' ').replaceAll('|', '\\|').slice(0, 50)}\``;
}
