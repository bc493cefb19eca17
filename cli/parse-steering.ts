import type { TierRequest } from '../engine/costs/tiers';
import { SCALES } from '../schemas/text/amount-text';
import { formatCloseWord } from '../schemas/text/close-names';
import { parseModelSpec, quoteSpec } from '../schemas/model/model-spec';
import type { Rates } from '../runs/control/request';
import type { Budget, ModelLimits } from '../schemas/run/steering';
import type { Tier } from '../schemas/model/tier';

/** Reads a budget such as `50usd` or `20Mtok`. @throws Error that says what was expected, with examples */
export function parseBudget(text: string): Budget {
  const {
    number = '',
    prefix = '',
    unit = '',
  } = match(/^(?<number>[\d.]+)\s*(?<prefix>[kMG]?)(?<unit>usd|tok)$/i, text);
  const dollars = unit.toLowerCase() === 'usd';
  const amount = parseAmount(number, prefix);
  const cap = dollars ? amount : Math.round(amount);
  if (!Number.isFinite(cap) || cap <= 0 || (dollars && prefix !== '')) {
    throw new Error(
      `"${text}" is not a budget. Write an amount above 0 in US dollars or tokens: for example 50usd, 1.5usd, 500ktok, 20Mtok or 2Gtok.`,
    );
  }
  return { unit: dollars ? 'usd' : 'tokens', cap };
}

/**
 * Reads limits such as `600rpm 2Mtpm 64inflight`, or `unlimited`, with an optional SPEC before them.
 * @throws Error that names the invalid part and what was expected
 */
export function parseRates(text: string): Rates {
  const words = text.trim().split(/\s+/);
  // From the end, since the path in a `module:` SPEC may have spaces.
  const first = words.findLastIndex((word) => !RATE.test(word)) + 1;
  const rates = words.slice(first);
  const spec = words.slice(0, first).join(' ');
  if (rates.length === 0) throw createRatesError(`${quoteSpec(words.at(-1) ?? '')} is not a rate`);
  if (spec !== '') checkSpec(spec);
  const limits: Record<string, number> = {};
  for (const rate of rates.filter((word) => !isUnlimited(word))) {
    const { number = '', prefix = '', unit = '' } = match(RATE, rate);
    const field = FIELDS[unit.toLowerCase()];
    const amount = roundIfWhole(parseAmount(number, prefix));
    if (field === undefined || amount === undefined || amount < 1) {
      throw createRatesError(`"${rate}" is not a whole number of at least 1`);
    }
    if (field in limits) throw createRatesError(`${unit} is given twice`);
    limits[field] = amount;
  }
  if (rates.some(isUnlimited) && rates.length > 1)
    throw createRatesError('"unlimited" cannot be combined with other limits');
  return { ...(spec === '' ? {} : { spec }), limits };
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
    throw createRatesError((error instanceof Error ? error.message : String(error)).replace(/\.$/, ''));
  }
}

function createRatesError(problem: string): Error {
  return new Error(
    `${problem}. Write limits as requests per minute, tokens per minute or calls in flight, after a SPEC to limit one model only: for example "600rpm 2Mtpm", "openai:gpt-4o 600rpm 64inflight" or "openai:gpt-4o unlimited".`,
  );
}

function parseAmount(number: string, prefix: string): number {
  const scale = SCALES.find((entry) => entry.prefix.toLowerCase() === prefix.toLowerCase());
  return number === '' ? Number.NaN : Number(number) * (scale?.size ?? 1);
}

/** Removes the error of a product of decimals. Undefined for other fractions: a rounded limit could be higher than the user's. */
function roundIfWhole(amount: number): number | undefined {
  const integer = Math.round(amount);
  const isWhole = Number.isSafeInteger(integer) && Math.abs(amount - integer) <= 2 * Number.EPSILON * integer;
  return isWhole ? integer : undefined;
}

function match(pattern: RegExp, text: string): Readonly<Record<string, string | undefined>> {
  return pattern.exec(text.trim())?.groups ?? {};
}

/** Reads `flex`, or a SPEC and a tier: `openai:gpt-6-luna flex`. @throws Error that says what was expected */
export function parseTier(text: string): TierRequest {
  const words = text.trim().split(/\s+/);
  const name = words.at(-1) ?? '';
  const tier = ASKABLE.find((candidate) => candidate === name);
  if (tier === undefined) {
    throw new Error(
      `"${name}" is not a tier.${formatCloseWord(name, ASKABLE)} Write flex or standard, after a SPEC to change one model only: --tier 'openai:gpt-6-luna flex'.`,
    );
  }
  const spec = words.slice(0, -1).join(' ');
  if (spec === '') return { tier };
  parseModelSpec(spec);
  return { spec, tier };
}

const ASKABLE = ['standard', 'flex'] as const satisfies readonly Tier[];

/** Reads `90s`, `30m` or `2h`. Returns milliseconds. @throws Error that says what was expected */
export function parseMinutes(text: string): number {
  const { number = '', unit = '' } = /^(?<number>\d+(?:\.\d+)?)(?<unit>[smh])$/.exec(text)?.groups ?? {};
  const milliseconds = Number(number) * (UNITS[unit] ?? Number.NaN);
  if (Number.isFinite(milliseconds) && milliseconds > 0) return milliseconds;
  throw new Error(
    `"${text}" is not a time above 0. Write seconds, minutes or hours, for example 90s, 30m or 2h.`,
  );
}

const UNITS: Readonly<Record<string, number>> = { s: 1_000, m: 60_000, h: 3_600_000 };
