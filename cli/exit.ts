import { CommanderError } from 'commander';
import { BundleError } from '../data/bundles';
import { PricesError } from '../data/prices';
import { DataError } from '../data/sets/error';
import { SeedsError } from '../data/seeds';
import { PromptPackError, SeedsExhausted } from '../client/inputs';

/** What the command line asks for cannot be; the message says what was expected. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}

/** How the command is called: as its user called it. */
export const COMMAND = process.env['npm_command'] === 'exec' ? 'npx cupid' : 'cupid';

/** The exit codes that scripts go by. */
export const EXIT = {
  done: 0,
  /** Something failed that is not the command line's fault: a missing key, a folder in use, no server. */
  failed: 1,
  /** The command line, or a file it names, is wrong; nothing was written. */
  usage: 2,
  /** Everything else was done, but some personas failed, or some scores are missing: they are listed. */
  withFailures: 3,
  interrupted: 130,
} as const;

/** The one place where errors become exit codes. */
export function exitCodeOf(error: unknown): number {
  if (error instanceof CommanderError) return error.exitCode === 0 ? EXIT.done : EXIT.usage;
  const usage = [
    UsageError,
    BundleError,
    DataError,
    PricesError,
    SeedsError,
    SeedsExhausted,
    PromptPackError,
  ];
  return usage.some((kind) => error instanceof kind) ? EXIT.usage : EXIT.failed;
}
