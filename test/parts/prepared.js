const {
  existsSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  renameSync,
  rmSync,
  writeFileSync,
} = require('node:fs');
const { tmpdir } = require('node:os');
const path = require('node:path');

/*
 * Parts of this test run, by name, as in `part.ts`. Jest's main process installs them while tests run; its test processes inherit the
 * variable, and wait for a part that they need.
 */

/** Variable with the names of the parts, and the directory that gets a file for each one. */
const VARIABLE = 'CUPID_TEST_PARTS';

const readRun = () => JSON.parse(process.env[VARIABLE] ?? '{"names":[]}');

exports.startParts = (names) => {
  const folder = mkdtempSync(path.join(tmpdir(), 'cupid-test-parts-'));
  process.env[VARIABLE] = JSON.stringify({ names, folder });
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
};

exports.writePart = (name, part) => {
  const file = path.join(readRun().folder, name);
  // At once, because others look for it.
  writeFileSync(`${file}.writing`, JSON.stringify(part));
  renameSync(`${file}.writing`, file);
};

exports.waitForPart = (name) => {
  const { names, folder } = readRun();
  if (!names.includes(name)) return undefined;
  const file = path.join(folder, name);
  while (!existsSync(file)) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 100);
  return JSON.parse(readFileSync(file, 'utf8'));
};

exports.listParts = () => {
  const { folder } = readRun();
  const names = folder === undefined ? [] : readdirSync(folder).filter((name) => !name.endsWith('.writing'));
  return names.map((name) => [name, exports.waitForPart(name)]);
};
