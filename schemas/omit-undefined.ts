/** An object without the properties that are undefined. */
export function omitUndefined<Record extends object>(
  record: Record,
): { [Key in keyof Record]?: Exclude<Record[Key], undefined> };
export function omitUndefined(record: object): object {
  return Object.fromEntries(Object.entries(record).filter(([, value]) => value !== undefined));
}
