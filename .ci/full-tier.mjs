/**
 * Runs the tests of the full tier that `npm test` leaves out. A failed test file is run once more by itself; if it then passes, it is listed as
 * flaky. The last line counts the tests of both.
 *
 *   node .ci/full-tier.mjs PASSED FAILED   the counts of `npm test`
 */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';

const folder = mkdtempSync(join(tmpdir(), 'cupid-full-tier-'));
const [passedBefore = 0, failedBefore = 0] = process.argv.slice(2).map(Number);

const whole = runJest('whole', []);
const failing = whole.testResults.filter(({ status }) => status === 'failed').map(({ name }) => name);
const flaky = [];
let failed = failedBefore + countFailed(whole);
let passed = passedBefore + whole.numPassedTests;
for (const file of failing) {
  console.log(`\nOnce more by itself: ${relative(process.cwd(), file)}`);
  const again = runJest('again', ['--runInBand', '--runTestsByPath', file]);
  if (countFailed(again) > 0) continue;
  flaky.push(relative(process.cwd(), file));
  const { assertionResults } = whole.testResults.find(({ name }) => name === file);
  const count = (wanted) => assertionResults.filter(({ status }) => status === wanted).length;
  passed += again.numPassedTests - count('passed');
  // A file that cannot be loaded has no tests, and counts as one failure.
  failed -= Math.max(count('failed'), 1);
}
rmSync(folder, { recursive: true });
console.log('\nThe slowest files, in seconds:');
const durations = whole.testResults.map(({ name, startTime, endTime }) => ({
  name,
  seconds: (endTime - startTime) / 1000,
}));
for (const { name, seconds } of durations.toSorted((a, b) => b.seconds - a.seconds).slice(0, 15)) {
  console.log(`${String(Math.round(seconds)).padStart(4)}  ${relative(process.cwd(), name)}`);
}
if (flaky.length > 0) {
  console.log(`\nFlaky: failed beside other tests, passed alone. Fix these next:`);
  for (const file of flaky) console.log(`- ${file}`);
}
console.log(`${passed} passed, ${failed} failed`);
process.exitCode = failed > 0 ? 1 : 0;

/** Runs Jest and returns its result. */
function runJest(name, options) {
  const file = join(folder, `${name}.json`);
  const args = ['jest', '--selectProjects', 'end-to-end', '--json', `--outputFile=${file}`, ...options];
  spawnSync('npx', args, { stdio: ['ignore', 'ignore', 'inherit'] });
  return JSON.parse(readFileSync(file, 'utf8'));
}

function countFailed({ numFailedTests, numRuntimeErrorTestSuites }) {
  return numFailedTests + numRuntimeErrorTestSuites;
}
