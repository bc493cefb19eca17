/** Ends a test run with one line that scripts can read: `N passed, N failed`, with `, N skipped` when any were. */
module.exports = class ClosingLineReporter {
  onRunComplete(_contexts, results) {
    const failed = results.numFailedTests + results.numRuntimeErrorTestSuites;
    const skipped = results.numPendingTests + results.numTodoTests;
    const line = `${results.numPassedTests} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ''}\n`;
    // Behind everything else that is still to be written.
    process.once('exit', () => process.stdout.write(line));
  }
};
