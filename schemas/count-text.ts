/** A whole number, with commas between its thousands. */
export function number(value: number): string {
  return value.toLocaleString('en-US');
}

/** So many of what the noun names, in the plural unless there is one of it. */
export function counted(count: number, noun: string, plural = `${noun}s`): string {
  return `${number(count)} ${count === 1 ? noun : plural}`;
}
