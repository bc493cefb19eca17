import { parsePurpose, type Purpose } from '../runs/folder/run-id';
import { COMMAND } from './exit';

/** Formats the current command line with further options, quoted so that the user can paste it. */
export function formatThisCommand(...options: readonly string[]): string {
  return [COMMAND, ...[...process.argv.slice(2), ...options].map(quoteArgument)].join(' ');
}

/** Formats the command that continues the run with this id, without its options. */
export function formatCommandOf(run: string): string {
  return `${COMMAND} ${COMMANDS[parsePurpose(run) ?? 'synthesis']}`;
}

const COMMANDS: Readonly<Record<Purpose, string>> = {
  synthesis: 'synth',
  evaluation: 'eval',
  verification: 'verify',
};

/** Quotes a path for a shell. The result is never read as an option. */
export function quotePath(path: string): string {
  return quoteArgument(path.startsWith('-') ? `./${path}` : path);
}

/** Quotes an argument so that a shell reads it as one word. */
function quoteArgument(argument: string): string {
  return /^[\w@%+=:,./-]+$/.test(argument) ? argument : `'${argument.replaceAll("'", `'\\''`)}'`;
}
