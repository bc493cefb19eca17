const { statSync } = require('node:fs');
const { default: Sequencer } = require('@jest/test-sequencer');

/**
 * Begins with the folders whose tests start servers and wait, so that no such file is left for one worker at the end: a fresh clone
 * does not know how long each took.
 */
module.exports = class LongestFirst extends Sequencer {
  sort(tests) {
    return tests.toSorted((one, other) => weightOf(other) - weightOf(one));
  }
};

const LONG = /\/test\/(end-to-end|workflows|replay|workers)\//;

/** Bytes, and more than any file has for those that are long. */
function weightOf({ path }) {
  return statSync(path).size + (LONG.test(path) ? 1e9 : 0);
}
