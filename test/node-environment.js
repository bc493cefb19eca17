const { TestEnvironment } = require('jest-environment-node');
const { readParts } = require('./parts/prepared');

/**
 * Node as it is: Jest's own environment lacks the dispatcher that `fetch` sends by, since it is named by a symbol. And the processes
 * that a test file leaves to the next ones (`test/end-to-end/loaded-command.ts`).
 */
module.exports = class extends TestEnvironment {
  constructor(...args) {
    super(...args);
    // Those that prepare parts need the server.
    const [{ projectConfig }] = args;
    this.lacksServer = Boolean(projectConfig.globalSetup) && 'missing' in (readParts().temporal ?? {});
    // Undici is loaded, and sets its dispatcher, when one of its classes is read.
    if (typeof Response === 'function') this.global[DISPATCHER] = globalThis[DISPATCHER];
    this.global.leftProcesses = leftProcesses;
  }

  /** Every test outside of test/unit/ needs the server: without it they are skipped, and fail with CI=true. */
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
