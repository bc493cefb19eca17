/** Reads the options of a script. */
import { parseArgs } from 'node:util';

/**
 * Reads options from the command line. The type of a default is that of its option: a number, a text, or `false` for one without a value.
 * An option whose default is undefined is a text.
 */
export function readOptions(defaults) {
  const kinds = Object.keys(defaults).map((name) => [
    name,
    { type: defaults[name] === false ? 'boolean' : 'string' },
  ]);
  const given = Object.entries(parseArgs({ options: Object.fromEntries(kinds) }).values).map(
    ([name, value]) => [name, typeof defaults[name] === 'number' ? Number(value) : value],
  );
  return { ...defaults, ...Object.fromEntries(given) };
}
