import { Option, type Command } from 'commander';
import type { TierRequest } from '../../engine/costs/tiers';
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
export function addSteeringOptions(
  command: Command,
  budgetHelp = 'pause when this much is spent, for example 50usd or 20Mtok',
): Command {
  return command
    .option('--budget <amount>', budgetHelp, (text) => parseWith(parseBudget, text))
    .option(
      '--rate <limits>',
      "limits per model, for example '600rpm 2Mtpm 64inflight'; start with a SPEC to limit one model only",
      (text, before: readonly Rates[] | undefined) => [...(before ?? []), parseWith(parseRates, text)],
    )
    .addOption(buildModelsOption())
    .option(
      '--tier <tier>',
      'service tier: flex costs half and takes minutes, standard is the default; start with a SPEC to change one model only',
      (text, before: readonly TierRequest[] | undefined) => [...(before ?? []), parseWith(parseTier, text)],
    )
    .option(
      '--tier-fallback <time>',
      'send calls in the standard tier when the flex tier has had no capacity for this long, for example 30m',
      (text) => parseWith(parseMinutes, text),
    );
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

/** `--batch`: in milliseconds. */
export function buildBatchOption(): Option {
  return new Option(
    '--batch [wait]',
    'send calls in batches, for half the price, to providers that have them; wait at most this long for each',
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
