const { existsSync, readFileSync, readdirSync } = require('node:fs');
const { homedir } = require('node:os');
const path = require('node:path');
const { default: Sequencer } = require('@jest/test-sequencer');

/**
 * Runs files first whose tests mostly wait, then other files that start servers, each kind by size, and unit tests last. So the cores have
 * work while tests wait, and no long file is left for one worker at the end. The walk over foreign folders is by far the longest.
 * In a fresh clone Jest does not know the duration of each file. On a fresh machine, where parts are still to be installed, the tests that
 * need none come first, then those that only need the server.
 */
module.exports = class LongestFirst extends Sequencer {
  sort(tests) {
    selectedFiles = tests.map((test) => test.path);
    const weighed = tests.map((test) => ({ test, weight: weighFile(test.path) }));
    return weighed.toSorted((one, other) => other.weight - one.weight).map(({ test }) => test);
  }
};

/** The test files of this run, which Jest does not pass to its globalSetup: it sorts them first. */
module.exports.listSelectedFiles = () => selectedFiles;

let selectedFiles = [];

const LONG = /\/test\/(promises|end-to-end|engine)\//;

/** Returns the size in bytes, plus more than any file has for each reason to run it earlier. */
function weighFile(file) {
  const text = readFileSync(file, 'utf8');
  const reasons = [
    LONG.test(file),
    text.includes('test.concurrent'),
    file.endsWith('/foreign-folders.test.ts'),
  ];
  const needsServer = !file.includes('/test/unit/') && !file.includes('/test/.together/');
  const waits = isFresh ? [needsServer, needsServer && text.includes('needing(')] : [];
  return text.length + 1e9 * (reasons.filter(Boolean).length - 10 * waits.filter(Boolean).length);
}

/** Whether parts are still to be installed here: the storage server is built last, after Temporal's. */
const isFresh = !listInstalledParts().some((name) => name.startsWith('versitygw-'));

function listInstalledParts() {
  const cache = process.env.XDG_CACHE_HOME || path.join(homedir(), '.cache');
  const parts = path.join(cache, 'cupid-test');
  return existsSync(parts) ? readdirSync(parts) : [];
}
