const { TestEnvironment } = require('jest-environment-node');

/**
 * Node as it is: Jest's own environment lacks the dispatcher that `fetch` sends by, since it is named by a symbol. And the processes
 * that a test file leaves to the next ones (`test/end-to-end/loaded-command.ts`).
 */
module.exports = class extends TestEnvironment {
  constructor(...args) {
    super(...args);
    // Undici is loaded, and sets its dispatcher, when one of its classes is read.
    if (typeof Response === 'function') this.global[DISPATCHER] = globalThis[DISPATCHER];
    this.global.leftProcesses = leftProcesses;
  }
};

const leftProcesses = [];

const DISPATCHER = Symbol.for('undici.globalDispatcher.1');
