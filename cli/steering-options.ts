import { Option } from 'commander';
import { parseBudget, parseRates, readModelTable, type Rates, type WantedSteering } from '../client/steer';
import { parsePath, parseWith, type SteeringOptions } from './options';

/** `--budget`. @param help what it says of itself; without it, what it means to a command that begins a run */
export function budgetOption(help = 'pause when this much is spent, for example 50usd or 20Mtok'): Option {
  return new Option('--budget <amount>', help).argParser((text) => parseWith(parseBudget, text));
}

/** `--rate`, given once or several times. @param help what it says of itself */
export function rateOption(
  help = "limits per model, for example '600rpm 2Mtpm 64inflight'; start with a SPEC to limit one model only",
): Option {
  return new Option('--rate <limits>', help).argParser<readonly Rates[] | undefined>((text, before) => [
    ...(before ?? []),
    parseWith(parseRates, text),
  ]);
}

/** `--models`: the file, as it is given. */
export function modelsOption(): Option {
  return new Option(
    '--models <file>',
    'prices and parameters of models, added to the built-in ones (YAML or JSON)',
  ).argParser(parsePath);
}

/** What is asked for, for a run of these models. @throws ModelTableError */
export async function steeringOf(
  { budget: wanted, rate, models: file }: SteeringOptions,
  models: readonly string[],
): Promise<WantedSteering> {
  return {
    ...(wanted === undefined ? {} : { budget: wanted }),
    ...(rate === undefined ? {} : { limits: limitsOf(rate, models) }),
    ...(file === undefined ? {} : { modelTable: await readModelTable(file) }),
  };
}

/** By SPEC: later ones replace earlier ones, and those without a SPEC are every model's. */
function limitsOf(given: readonly Rates[], models: readonly string[]): NonNullable<WantedSteering['limits']> {
  return Object.fromEntries(
    given.flatMap(({ spec, limits }) => (spec === undefined ? models : [spec]).map((one) => [one, limits])),
  );
}
