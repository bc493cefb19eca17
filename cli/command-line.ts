import { parsePurpose, type Purpose } from '../runs/folder/run-id';
import { quoteArgument } from '../schemas/text/shell-text';
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
