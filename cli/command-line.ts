import { COMMAND } from './exit';

/** This command as the user can give it again, with more options after it. */
export function formatThisCommand(...options: readonly string[]): string {
  return [COMMAND, ...[...process.argv.slice(2), ...options].map(quoteArgument)].join(' ');
}

/** An argument as a shell takes it for one word. */
export function quoteArgument(argument: string): string {
  return /^[\w@%+=:,./-]+$/.test(argument) ? argument : `'${argument.replaceAll("'", `'\\''`)}'`;
}
