import { InvalidArgumentError } from 'commander';
import {
  parseBudget,
  parseRates,
  readPrices,
  type Budget,
  type Rates,
  type WantedSteering,
} from '../client/steer';

/** How a command wants a run to be steered. */
export interface SteeringOptions {
  readonly budget?: Budget;
  readonly rate?: readonly Rates[];
  readonly prices?: string;
}

/** A commander parser for budgets. */
export function budget(text: string): Budget {
  return parsedBy(parseBudget, text);
}

/** A commander parser for rates, given once or several times. */
export function rates(text: string, before: readonly Rates[] | undefined): Rates[] {
  return [...(before ?? []), parsedBy(parseRates, text)];
}

/** What is asked for, for a run of these models. @throws PricesError */
export async function steeringOf(
  { budget: wanted, rate, prices }: SteeringOptions,
  models: readonly string[],
): Promise<WantedSteering> {
  return {
    ...(wanted === undefined ? {} : { budget: wanted }),
    ...(rate === undefined ? {} : { limits: limitsOf(rate, models) }),
    ...(prices === undefined ? {} : { prices: await readPrices(prices) }),
  };
}

/** By SPEC: later ones replace earlier ones, and those without a SPEC are every model's. */
function limitsOf(given: readonly Rates[], models: readonly string[]): NonNullable<WantedSteering['limits']> {
  return Object.fromEntries(
    given.flatMap(({ spec, limits }) => (spec === undefined ? models : [spec]).map((one) => [one, limits])),
  );
}

function parsedBy<T>(parse: (text: string) => T, text: string): T {
  try {
    return parse(text);
  } catch (error) {
    throw new InvalidArgumentError(error instanceof Error ? error.message : String(error));
  }
}
