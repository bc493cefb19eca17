import { CommanderError } from 'commander';
import { InputError } from '../schemas/input-error';

/** An error of the command line. Its message says what was expected. */
export class UsageError extends InputError {
  override readonly name = 'UsageError';
}

/** The exit codes that scripts rely on. */
export const EXIT = {
  done: 0,
  /** Something outside the command line failed: a missing key, an unreachable Hub, a folder in use, no server. */
  failed: 1,
  /** The command line is wrong, or what it names: no such run, an input file that cannot be used. Nothing was written. */
  usage: 2,
  /** The command finished, but personas failed, scores are missing, or edited files were not updated; they are listed. */
  withFailures: 3,
  interrupted: 130,
} as const;

/** Maps an error to the exit code of the command. No other place does. */
export function getExitCode(error: unknown): number {
  if (error instanceof CommanderError) return error.exitCode === 0 ? EXIT.done : EXIT.usage;
  return error instanceof InputError ? EXIT.usage : EXIT.failed;
}

/** Makes the action of a command, whose function is loaded when it runs and returns the exit code. */
export type RunCommand = <Args extends readonly unknown[]>(
  load: () => Promise<(...args: Args) => Promise<number>>,
) => (...args: Args) => Promise<void>;
