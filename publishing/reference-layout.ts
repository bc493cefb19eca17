import { INSTANCE_TYPES } from '../schemas/dataset/instance-type';

/**
 * How the reference program lays out what it makes, in a folder: a list of personas, a file of what was synthesized for each, and
 * one of each instance.
 */
export const LAYOUT = { personas: 'personas.json', data: 'data', instances: 'instances' } as const;

/** Compares names of personas or instances in the order of a data set: by the persona's number, its name, the type of instance. */
export function compareNames(first: string, second: string): number {
  const [a, b] = [parseNamePlace(first), parseNamePlace(second)];
  return (
    a.number - b.number || compareText(a.persona, b.persona) || a.type - b.type || compareText(first, second)
  );
}

/**
 * Returns the form that all spellings of a persona's name share. The reference's are `{id}+{occupation}` in lower case, with `/` as ` and `
 * and spaces as `_`.
 */
export function normalizeName(name: string): string {
  return name
    .normalize('NFC')
    .toLowerCase()
    .replaceAll('/', ' and ')
    .trim()
    .replaceAll(/[\s_]+/g, '_');
}

function parseNamePlace(name: string) {
  const type = INSTANCE_TYPES.findIndex((instanceType) => name.endsWith(`+${instanceType}`));
  const [, number = 'Infinity'] = /^(\d+)\+/.exec(name) ?? [];
  // Names that do not begin with a number come last, and types that CUPID does not know come after known ones.
  return {
    number: Math.min(Number(number), Number.MAX_SAFE_INTEGER),
    persona: type < 0 ? name : name.slice(0, name.lastIndexOf('+')),
    type: type < 0 ? INSTANCE_TYPES.length : type,
  };
}

function compareText(a: string, b: string): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}
