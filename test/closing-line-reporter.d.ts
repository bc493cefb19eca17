/** Fields that it reads of Jest's results. */
interface Counts {
  readonly numPassedTests: number;
  readonly numFailedTests: number;
  readonly numRuntimeErrorTestSuites: number;
  readonly numPendingTests: number;
  readonly numTodoTests: number;
}

declare class ClosingLineReporter {
  onRunComplete(contexts: ReadonlySet<unknown>, results: Counts): void;
}
export = ClosingLineReporter;
