import { parseModelSpec, quoteSpec } from '../schemas/model-spec';
import type { Budget, ModelLimits } from '../schemas/steering';

/** Reads a budget such as `50usd` or `20Mtok`. @throws Error that says what was expected, with examples */
export function parseBudget(text: string): Budget {
  const {
    number = '',
    prefix = '',
    unit = '',
  } = match(/^(?<number>[\d.]+)\s*(?<prefix>[kMG]?)(?<unit>usd|tok)$/i, text);
  const dollars = unit.toLowerCase() === 'usd';
  const amount = amountOf(number, prefix);
  const cap = dollars ? amount : Math.round(amount);
  if (!Number.isFinite(cap) || cap <= 0 || (dollars && prefix !== '')) {
    throw new Error(
      `"${text}" is not a budget. Write an amount above 0 in US dollars or tokens: for example 50usd, 1.5usd, 500ktok, 20Mtok or 2Gtok.`,
    );
  }
  return { unit: dollars ? 'usd' : 'tokens', cap };
}

/** A budget as it is given on the command line: `parseBudget` reads it back. */
export function budgetText({ unit, cap }: Budget): string {
  return unit === 'usd' ? `${cap}usd` : `${scaledText(cap)}tok`;
}

/** An amount to be read: `$12.40`, `3.2 Mtok`. Less than a cent is told with four decimals. */
export function amountText(amount: number, unit: Budget['unit']): string {
  if (unit === 'usd') return `$${amount.toFixed(amount !== 0 && Math.abs(amount) < 0.01 ? 4 : 2)}`;
  // By what will be shown: 999,960 is 1.0 M, not 1000.0 k.
  const scale = SCALES.find(({ size }) => Math.abs(amount) >= size * 0.999_95);
  return scale === undefined
    ? `${Math.round(amount)} tok`
    : `${(amount / scale.size).toFixed(1)} ${scale.prefix}tok`;
}

/** The limits of one model, or, without a SPEC, of every model of the run. */
export interface Rates {
  readonly spec?: string;
  /** None at all lifts those it had. */
  readonly limits: ModelLimits;
}

/**
 * Reads limits such as `600rpm 2Mtpm 64inflight`, or `unlimited`; a SPEC may stand before them.
 * @throws Error that names what cannot be read, and says what was expected
 */
export function parseRates(text: string): Rates {
  const words = text.trim().split(/\s+/);
  // From the end, since the path in a `module:` SPEC may have blanks.
  const first = words.findLastIndex((word) => !RATE.test(word)) + 1;
  const rates = words.slice(first);
  const spec = words.slice(0, first).join(' ');
  if (rates.length === 0) throw badRates(`${quoteSpec(words.at(-1) ?? '')} is not a rate`);
  if (spec !== '') checkSpec(spec);
  const limits: Record<string, number> = {};
  for (const rate of rates.filter((word) => !isUnlimited(word))) {
    const { number = '', prefix = '', unit = '' } = match(RATE, rate);
    const field = FIELDS[unit.toLowerCase()];
    const amount = Math.round(amountOf(number, prefix));
    if (field === undefined || !Number.isSafeInteger(amount) || amount < 1) {
      throw badRates(`"${rate}" is not a whole number of at least 1`);
    }
    if (field in limits) throw badRates(`${unit} is given twice`);
    limits[field] = amount;
  }
  if (rates.some(isUnlimited) && rates.length > 1)
    throw badRates('"unlimited" cannot be combined with other limits');
  return { ...(spec === '' ? {} : { spec }), limits };
}

/** Limits as they are given on the command line: `parseRates` reads them back. */
export function ratesText(limits: ModelLimits): string {
  const texts = Object.entries(FIELDS).flatMap(([unit, field]) => {
    const limit = limits[field];
    return limit === undefined ? [] : [`${unit === 'tpm' ? scaledText(limit) : limit}${unit}`];
  });
  return texts.length === 0 ? UNLIMITED : texts.join(' ');
}

const UNLIMITED = 'unlimited';

const RATE = /^(?:(?<number>[\d.]+)(?<prefix>[kMG]?)(?<unit>rpm|tpm|inflight)|unlimited)$/i;

const FIELDS: Readonly<Record<string, keyof ModelLimits>> = {
  rpm: 'requestsPerMinute',
  tpm: 'tokensPerMinute',
  inflight: 'inFlight',
};

function isUnlimited(word: string): boolean {
  return word.toLowerCase() === UNLIMITED;
}

function checkSpec(spec: string): void {
  try {
    parseModelSpec(spec);
  } catch (error) {
    throw badRates((error instanceof Error ? error.message : String(error)).replace(/\.$/, ''));
  }
}

function badRates(problem: string): Error {
  return new Error(
    `${problem}. Write limits as requests per minute, tokens per minute or calls in flight, after a SPEC to limit one model only: for example "600rpm 2Mtpm", "openai:gpt-4o 600rpm 64inflight" or "openai:gpt-4o unlimited".`,
  );
}

/** From the largest. */
const SCALES = [
  { prefix: 'G', size: 1e9 },
  { prefix: 'M', size: 1e6 },
  { prefix: 'k', size: 1e3 },
] as const;

function amountOf(number: string, prefix: string): number {
  const scale = SCALES.find((one) => one.prefix.toLowerCase() === prefix.toLowerCase());
  return number === '' ? Number.NaN : Number(number) * (scale?.size ?? 1);
}

/** Not one digit less than the number has: `1234.567k`. */
function scaledText(amount: number): string {
  const scale = SCALES.find(({ size }) => amount >= size);
  return scale === undefined ? String(amount) : `${amount / scale.size}${scale.prefix}`;
}

function match(pattern: RegExp, text: string): Readonly<Record<string, string | undefined>> {
  return pattern.exec(text.trim())?.groups ?? {};
}
