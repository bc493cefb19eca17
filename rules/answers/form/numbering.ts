import { accept, reject, type CheckResult } from './checks';

/** Names the thing that a number in an answer stands for, such as `session 3`. */
type NumberNaming = (number: number) => string;

/** Parses a whole number from 0 on: a number, or digits in a text (`"2"`, `"2."`, `"#2"`, `"item 2"`). */
export function parseNumber(value: unknown): number | undefined {
  const digits =
    typeof value === 'string' ? /^\s*(?:\p{L}+\s+){0,2}#?(\d{1,6})[.):]?\s*$/u.exec(value)?.[1] : undefined;
  const number = digits === undefined ? value : Number(digits);
  return typeof number === 'number' && Number.isInteger(number) && number >= 0 ? number : undefined;
}

/** Returns true for a number that an answer leaves out. */
export function isLeftOut(value: unknown): boolean {
  return value === undefined || value === null || value === '';
}

/** Returns the numbers counted from 1. Only a complete set of 0 to n−1 was counted from 0. */
export function renumberFromOne(numbers: readonly number[], count: number): number[] {
  const distinctNumbers = new Set(numbers);
  const fromZero =
    numbers.length === count && distinctNumbers.size === count && numbers.every((number) => number < count);
  return fromZero ? numbers.map((number) => number + 1) : [...numbers];
}

/** Reports numbers from 1 to `count` that occur not at all or twice, and numbers outside of that range. */
export function validateNumbering(
  numbers: readonly number[],
  count: number,
  thing: string,
  name: NumberNaming,
): string[] {
  const outside = numbers.flatMap((number, index) =>
    number >= 1 && number <= count
      ? []
      : [`${thing} ${index + 1} is numbered ${number}, but the numbers go from 1 to ${count}`],
  );
  const uneven = Array.from({ length: count }, (_, index) => index + 1).flatMap((number) => {
    const occurrences = numbers.filter((candidate) => candidate === number).length;
    if (occurrences === 0) return [`${name(number)} has no ${thing}`];
    return occurrences === 1 ? [] : [`${name(number)} has more than one ${thing}`];
  });
  return [...uneven, ...outside];
}

/**
 * Returns the values ordered by their indexes, or as they are if all indexes are left out. Rejects indexes that do not name each of 1 to `count`
 * once. An index that cannot be read is never guessed.
 */
export function orderByNumber<T>(
  values: readonly T[],
  indexes: readonly unknown[],
  count: number,
  thing: string,
  name: NumberNaming,
): CheckResult<T[]> {
  const givenNumbers = indexes.every(isLeftOut) ? indexes.map((_, at) => at + 1) : indexes.map(parseNumber);
  const unreadable = givenNumbers.flatMap((number, at) =>
    number === undefined
      ? [`${thing} ${at + 1}: index must be a whole number, or absent in every ${thing}`]
      : [],
  );
  if (unreadable.length > 0) return reject(unreadable);
  const numbers = renumberFromOne(
    givenNumbers.filter((number) => number !== undefined),
    count,
  );
  const problems = validateNumbering(numbers, count, thing, name);
  if (problems.length > 0) return reject(problems);
  return accept(
    values
      .map((value, at) => ({ value, number: numbers[at] ?? 0 }))
      .toSorted((a, b) => a.number - b.number)
      .map(({ value }) => value),
  );
}

/** Removes the numbers of a list (`1.`, `2)`) whose entries all begin with theirs, because prompts number it again. */
export function stripNumbers(entries: readonly unknown[]): unknown[] {
  const numbered = entries.map((entry) =>
    typeof entry === 'string' ? /^\s*(\d{1,2})[.)]\s+(\S[^]*)$/.exec(entry) : null,
  );
  const isNumbered = numbered.every((parts, at) => Number(parts?.[1]) === at + 1);
  return isNumbered ? numbered.map((parts) => parts?.[2]) : [...entries];
}
