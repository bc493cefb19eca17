/** Quotes a path for a shell. The result is never read as an option. */
export function quotePath(path: string): string {
  return quoteArgument(path.startsWith('-') ? `./${path}` : path);
}

/** Quotes an argument so that a shell reads it as one word. */
export function quoteArgument(argument: string): string {
  return /^[\w@%+=:,./-]+$/.test(argument) ? argument : `'${argument.replaceAll("'", `'\\''`)}'`;
}
