const { statSync } = require('node:fs');
const { default: Sequencer } = require('@jest/test-sequencer');

/**
 * Runs the tiers whose tests start servers and wait first, so that no such file is left for one worker at the end. In a fresh clone
 * Jest does not know how long each file takes.
 */
module.exports = class LongestFirst extends Sequencer {
  sort(tests) {
    return tests.toSorted((one, other) => weightOf(other) - weightOf(one));
  }
};

const LONG = /\/test\/(end-to-end|engine)\//;

/** The size in bytes, plus more than any file has for the long tiers. */
function weightOf({ path }) {
  return statSync(path).size + (LONG.test(path) ? 1e9 : 0);
}
