const { listParts } = require('./parts/prepared');

/**
 * Ends a test run with the missing parts, if there are any, and one line for scripts: `N passed, N failed`, with `, N skipped` if any were.
 */
module.exports = class ClosingLineReporter {
  onRunComplete(_contexts, results) {
    const failed = results.numFailedTests + results.numRuntimeErrorTestSuites;
    const skipped = results.numPendingTests + results.numTodoTests;
    const line = `${results.numPassedTests} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ''}`;
    const lines = [...describeMissing(skipped), line].map((text) => `${text}\n`);
    // After all other output.
    process.once('exit', () => process.stdout.write(lines.join('')));
  }
};

function describeMissing(skipped) {
  const missing = listParts().filter(([, part]) => 'missing' in part);
  if (missing.length === 0) return [];
  const names = missing.map(([name]) => name).join(', ');
  const title =
    process.env.CI === 'true'
      ? `Parts that tests need are missing, which is a failure with CI=true: ${names}.`
      : `${skipped} ${skipped === 1 ? 'test was' : 'tests were'} skipped. Parts that tests need are missing: ${names}.`;
  const reasons = missing.map(([name, part]) => `- ${name}: ${part.missing}`);
  const commands = new Set(missing.map(([, part]) => `To fix this, run: ${part.command}`));
  return ['', title, ...reasons, ...commands, ''];
}
