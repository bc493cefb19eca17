import { InvalidArgumentError, Option } from 'commander';
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

/** `--budget`. @param help what it says of itself; without it, what it means to a command that begins a run */
export function budgetOption(
  help = 'the most it may spend, such as 50usd or 20Mtok: then it pauses',
): Option {
  return new Option('--budget <amount>', help).argParser((text) => parsedBy(parseBudget, text));
}

/** `--rate`, given once or several times. @param help what it says of itself */
export function rateOption(
  help = "limits of every model, or with its SPEC first of one, such as '600rpm 2Mtpm 64inflight'",
): Option {
  return new Option('--rate <limits>', help).argParser<readonly Rates[] | undefined>((text, before) => [
    ...(before ?? []),
    parsedBy(parseRates, text),
  ]);
}

/** `--prices`: the file, as it is given. */
export function pricesOption(): Option {
  return new Option('--prices <file>', "prices in place of the built-in table's (YAML or JSON)");
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
