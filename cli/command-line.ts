import { parsePurpose, type Purpose } from '../runs/folder/run-id';
import { COMMAND } from './exit';

/** This command as the user can give it again, with more options after it. */
export function formatThisCommand(...options: readonly string[]): string {
  return [COMMAND, ...[...process.argv.slice(2), ...options].map(quoteArgument)].join(' ');
}

/** The command that continues the run with this id, without its options. */
export function formatCommandOf(run: string): string {
  return `${COMMAND} ${COMMANDS[parsePurpose(run) ?? 'synthesis']}`;
}

const COMMANDS: Readonly<Record<Purpose, string>> = {
  synthesis: 'synth',
  evaluation: 'eval',
  verification: 'verify',
};

/** A path, quoted for a shell, that no command takes for an option. */
export function quotePath(path: string): string {
  return quoteArgument(path.startsWith('-') ? `./${path}` : path);
}

/** An argument as a shell takes it for one word. */
function quoteArgument(argument: string): string {
  return /^[\w@%+=:,./-]+$/.test(argument) ? argument : `'${argument.replaceAll("'", `'\\''`)}'`;
}
