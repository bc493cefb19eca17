const { mkdirSync, readdirSync, rmSync, writeFileSync } = require('node:fs');
const path = require('node:path');

/**
 * Writes one test file for each directory of a tier that runs all tests beneath it one after the other. Returns the folder of these files.
 * Jest loads every module again for each test file, which takes longer than the unit tests themselves.
 */
module.exports = function groupTests(tier) {
  const folder = path.join(__dirname, '.together', tier);
  mkdirSync(folder, { recursive: true });
  const groups = new Map(readdirSync(folder).map((name) => [name, '']));
  for (const file of readdirSync(path.join(__dirname, tier), {
    recursive: true,
    encoding: 'utf8',
  }).toSorted()) {
    if (!file.endsWith('.test.ts')) continue;
    const name = `${file.split(/[/.]/)[0]}.test.js`;
    const lines = `describe('${file}', () => void require('../../${tier}/${file}'));\n`;
    groups.set(name, (groups.get(name) ?? '') + lines);
  }
  for (const [name, lines] of groups) {
    // Left by a deleted directory.
    if (lines === '') rmSync(path.join(folder, name));
    else writeFileSync(path.join(folder, name), lines);
  }
  return folder;
};
