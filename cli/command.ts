import { CommanderError } from 'commander';
import { explainError } from '../data/store/explain-error';
import { formatError } from './error-text';
import { EXIT, getExitCode } from './exit';
import { printMessage } from './output';
import { buildProgram } from './program';

/** Runs a command line, as `process.argv` has it, and prints why it failed. Returns the exit code. */
export async function runCommandLine(argv: readonly string[]): Promise<number> {
  let code: number = EXIT.done;
  try {
    await buildProgram((exitCode) => (code = exitCode)).parseAsync(argv);
    return code;
  } catch (error) {
    const reason = findFirstReason(error);
    // Commander has printed its own message.
    if (!(reason instanceof CommanderError)) {
      const message = reason instanceof Error ? reason.message : String(reason);
      printMessage(formatError(explainError(reason) ?? message));
    }
    return getExitCode(reason);
  }
}

/** Returns the first error when cleaning up failed as well. */
function findFirstReason(error: unknown): unknown {
  return error instanceof Error && 'suppressed' in error ? findFirstReason(error.suppressed) : error;
}
