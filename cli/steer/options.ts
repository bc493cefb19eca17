import { Option, type Command } from 'commander';
import type { TierRequest } from '../../costs/tiers';
import {
  buildNoCheckOption,
  buildNumberParser,
  buildTelemetryOption,
  buildTrustOption,
  parsePath,
  parseWith,
} from '../options';
import { parseBudget, parseMinutes, parseRates, parseTier, type Rates } from './parse';

/** Adds the options that steer a run. @param budgetHelp what `--budget` says of itself; absent for a command that starts a run */
export function addSteeringOptions(command: Command, budgetHelp?: string): Command {
  return [
    buildBudgetOption(budgetHelp),
    rateOption(),
    buildModelsOption(),
    buildTierOption(),
    buildTierFallbackOption(),
  ].reduce((taking, option) => taking.addOption(option), command);
}

/**
 * Adds the options of a command that carries out a run, in the order of its help.
 * @param json what `--json` prints
 * @param profile what `--profile` says of itself
 * @param budgetHelp as for addSteeringOptions
 */
export function addCarryOutOptions(
  command: Command,
  json: string,
  profile = "profile in Temporal's configuration file: run on that cluster",
  budgetHelp?: string,
): Command {
  command.option('--concurrency <n>', 'maximum model calls in flight', buildNumberParser(1, 10_000), 32);
  return addSteeringOptions(command, budgetHelp)
    .addOption(buildNoCheckOption())
    .option('--profile <name>', profile)
    .addOption(buildTrustOption())
    .addOption(buildTelemetryOption())
    .option('--json', json);
}

/** `--budget`. @param help what it says of itself; without it, what it means to a command that begins a run */
function buildBudgetOption(help = 'pause when this much is spent, for example 50usd or 20Mtok'): Option {
  return new Option('--budget <amount>', help).argParser((text) => parseWith(parseBudget, text));
}

/** `--rate`, given once or several times. @param help what it says of itself */
function rateOption(
  help = "limits per model, for example '600rpm 2Mtpm 64inflight'; start with a SPEC to limit one model only",
): Option {
  return new Option('--rate <limits>', help).argParser<readonly Rates[] | undefined>((text, before) => [
    ...(before ?? []),
    parseWith(parseRates, text),
  ]);
}

/** `--batch`: in milliseconds. */
export function buildBatchOption(): Option {
  return new Option(
    '--batch [wait]',
    "send calls in the providers' batches, for half the price, where they have such; wait this long for each",
  )
    .preset('25h')
    .argParser((text) => parseWith(parseMinutes, text));
}

/** `--models`: the file, as it is given. */
export function buildModelsOption(): Option {
  return new Option(
    '--models <file>',
    'prices and parameters of models, added to the built-in ones (YAML or JSON)',
  ).argParser(parsePath);
}

/** `--tier`, given once or several times. */
function buildTierOption(): Option {
  return new Option(
    '--tier <tier>',
    'service tier: flex costs half and takes minutes, standard is the default; start with a SPEC to change one model only',
  ).argParser<readonly TierRequest[] | undefined>((text, before) => [
    ...(before ?? []),
    parseWith(parseTier, text),
  ]);
}

/** `--tier-fallback`: in milliseconds. */
function buildTierFallbackOption(): Option {
  return new Option(
    '--tier-fallback <time>',
    'send calls in the standard tier after the flex tier had no capacity for this time, for example 30m',
  ).argParser((text) => parseWith(parseMinutes, text));
}
