/** Tells a person a line, beside what the command prints for others to read. */
export function say(line: string): void {
  process.stderr.write(`${line}\n`);
}
