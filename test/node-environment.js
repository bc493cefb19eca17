const { TestEnvironment } = require('jest-environment-node');
const { waitForPart } = require('./parts/prepared');

/**
 * Node without changes: Jest's own environment lacks the dispatcher of `fetch`, because a symbol names it. Passes on the processes that a
 * test file leaves to the next ones (`test/end-to-end/loaded-command.ts`), and Node's own loader (`test/preact.js`).
 */
module.exports = class extends TestEnvironment {
  constructor(...args) {
    super(...args);
    // Projects that prepare parts need the server.
    const [{ projectConfig }] = args;
    this.lacksServer = Boolean(projectConfig.globalSetup) && 'missing' in (waitForPart('temporal') ?? {});
    // Reading one of its classes loads Undici, which sets its dispatcher.
    if (typeof Response === 'function') this.global[DISPATCHER] = globalThis[DISPATCHER];
    this.global.leftProcesses = leftProcesses;
    this.global.requireOutside = require;
  }

  /** Skips tests outside of test/unit/ if the server is missing; with CI=true they fail. */
  handleTestEvent(event, state) {
    if (event.name !== 'run_start' || !this.lacksServer) return;
    if (process.env.CI === 'true')
      throw new Error('Missing: temporal. The end of the output says why, and what installs it.');
    skipTests(state.rootDescribeBlock);
  }
};

function skipTests(block) {
  block.mode = 'skip';
  for (const child of block.children) {
    if (child.type === 'describeBlock') skipTests(child);
    else child.mode = 'skip';
  }
}

const leftProcesses = [];

const DISPATCHER = Symbol.for('undici.globalDispatcher.1');
