import { validateData } from '../../publishing/validate';
import { formatCount } from '../../formatting/count-text';
import { EXIT } from '../exit';
import { renderValidation } from './validation-text';
import { printMessage, printResult } from '../output';

interface ValidateOptions {
  readonly json?: true;
}

/** `cupid validate`: what is wrong with a data set, or with those of a run, and what people should look at. Returns the exit code. */
export async function validate(given: string, options: ValidateOptions): Promise<number> {
  // Nothing is written that would have to be left whole.
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    process.once(signal, () => process.exit(EXIT.interrupted));
  }
  let reading: { source: string; rows: number } | undefined;
  let ticks = 0;
  const timer = setInterval(() => {
    if (reading !== undefined && ticks % TICKS_BETWEEN === 0) {
      printMessage(`Checking ${reading.source}: ${formatCount(reading.rows, 'row')} so far.`);
    }
    ticks += 1;
  }, QUIET_MS);
  try {
    const report = await validateData(given, {
      environment: process.env,
      report: printMessage,
      progress: (source, rows) => (reading = { source, rows }),
    });
    printResult(options, report, () => renderValidation(report));
    return report.errors > 0 ? EXIT.withFailures : EXIT.done;
  } finally {
    clearInterval(timer);
  }
}

/** Before the first word on how far it is. */
const QUIET_MS = 2_000;
/** From one word to the next: ten seconds. */
const TICKS_BETWEEN = 5;
