import { accept, reject, type CheckResult } from './checks';

/** Names the thing that a number in an answer stands for, such as `session 3`. */
type NumberNaming = (number: number) => string;

/** Parses a whole number from 0 on: a number, or digits in a text (`"2"`, `"2."`, `"#2"`). */
export function parseNumber(value: unknown): number | undefined {
  const digits = typeof value === 'string' ? /^\s*#?(\d{1,6})[.):]?\s*$/.exec(value)?.[1] : undefined;
  const number = digits === undefined ? value : Number(digits);
  return typeof number === 'number' && Number.isInteger(number) && number >= 0 ? number : undefined;
}

/** Returns the numbers counted from 1. Only a complete set of 0 to n−1 was counted from 0. */
export function renumberFromOne(numbers: readonly number[], wanted: number): number[] {
  const found = new Set(numbers);
  const fromZero =
    numbers.length === wanted && found.size === wanted && numbers.every((number) => number < wanted);
  return fromZero ? numbers.map((number) => number + 1) : [...numbers];
}

/** Reports numbers from 1 to `wanted` that occur not at all or twice, and numbers outside of that range. */
export function validateNumbering(
  numbers: readonly number[],
  wanted: number,
  thing: string,
  name: NumberNaming,
): string[] {
  const outside = numbers.flatMap((number, index) =>
    number >= 1 && number <= wanted
      ? []
      : [`${thing} ${index + 1} is numbered ${number}, but the numbers go from 1 to ${wanted}`],
  );
  const uneven = Array.from({ length: wanted }, (_, index) => index + 1).flatMap((number) => {
    const found = numbers.filter((other) => other === number).length;
    if (found === 0) return [`${name(number)} has no ${thing}`];
    return found === 1 ? [] : [`${name(number)} has more than one ${thing}`];
  });
  return [...uneven, ...outside];
}

/** Returns the values ordered by their numbers. Rejects numbers that do not name each of 1 to `wanted` once. */
export function orderByNumber<T>(
  values: readonly T[],
  given: readonly number[],
  wanted: number,
  thing: string,
  name: NumberNaming,
): CheckResult<T[]> {
  const numbers = renumberFromOne(given, wanted);
  const problems = validateNumbering(numbers, wanted, thing, name);
  if (problems.length > 0) return reject(problems);
  return accept(
    values
      .map((value, at) => ({ value, number: numbers[at] ?? 0 }))
      .toSorted((one, other) => one.number - other.number)
      .map(({ value }) => value),
  );
}
