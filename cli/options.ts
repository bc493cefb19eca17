import { InvalidArgumentError, Option, type Command } from 'commander';
import { expandHome } from '../data/store/home-path';
import { formatS3Location, parseS3Location, S3_LOCATION_FORM } from '../data/store/s3-location';
import type { TierRequest } from '../engine/costs/tiers';
import type { Rates } from '../runs/control/request';
import { insertPort } from '../pages/page-hosts';
import type { CommandOptions } from '../runs/drive/carry-out';
import type { RunMaterial } from '../runs/synthesize/inputs';
import type { RetryRequest } from '../runs/synthesize/restarts';
import type { SynthesisOptions } from '../runs/synthesize/settings';
import { InputError } from '../schemas/input-error';
import { parseModelSpec } from '../schemas/model/model-spec';
import { SPLITS } from '../schemas/dataset/split';
import { formatCloseWord } from '../schemas/text/close-names';
import { MOST_SESSIONS } from '../schemas/run/journey-parts';
import { checkSpec } from '../workers/check-spec';
import type { EndpointAddress as TelemetryAddress } from '../workers/telemetry/endpoint';
import { UsageError } from './exit';
import { parseBudget, parseMinutes, parseRates, parseTier } from './parse-steering';

/** Options of a command that carries a run out. */
export interface CarryOutOptions extends Omit<CommandOptions, 'trustCommand' | 'telemetry'> {
  readonly telemetry?: TelemetryAddress;
  readonly json?: true;
  /** Only prints what the command would ask, and what that would cost. */
  readonly estimate?: true;
}

export interface SynthOptions extends CarryOutOptions, SynthesisOptions, RunMaterial {
  /** Location of the run's store, such as `s3://bucket/run`. */
  readonly store?: string;
  readonly outputDir: string;
  /** The numbers of the personas to regenerate. */
  readonly only?: readonly number[];
  readonly regenerate?: true;
  readonly redescribe?: true;
}

/**
 * Parses a path, and expands `~`. Rejects an empty one, which would mean the current directory: `--output-dir "$UNSET"` is a mistake.
 */
export function parsePath(text: string): string {
  if (text.trim() !== '') return expandHome(text);
  throw new InvalidArgumentError('The path is empty. Name a path, or . for the current directory.');
}

export function parsePaths(text: string, before: readonly string[] = []): string[] {
  return [...before, parsePath(text)];
}

/**
 * Requires options of a command. Commander checks its own required options before unknown ones, so that it would report
 * a misspelled `--out-dir` as a missing `--output-dir`.
 * @param names as the parsed options have them, such as `outputDir`
 */
export function requireOptions(command: Command, ...names: readonly string[]): void {
  command.hook('preAction', () => {
    for (const option of command.options) {
      const name = option.attributeName();
      if (!names.includes(name) || command.getOptionValue(name) !== undefined) continue;
      command.error(`error: required option '${option.flags}' not specified`);
    }
  });
}

/** Builds a parser for whole numbers from `least` to `most`. */
export function buildNumberParser(
  minimum: number,
  maximum = Number.MAX_SAFE_INTEGER,
): (text: string) => number {
  return (text) => {
    const number = /^\d+$/.test(text) ? Number(text) : Number.NaN;
    if (number >= minimum && number <= maximum) return number;
    // The largest safe integer is named only to users who exceed it.
    const upper = maximum === Number.MAX_SAFE_INTEGER && !(number > maximum) ? '' : ` and at most ${maximum}`;
    throw new InvalidArgumentError(`Expected a whole number of at least ${minimum}${upper}.`);
  };
}

/** Parses the number of sessions of a persona. */
export function parseSessions(text: string): number {
  const number = buildNumberParser(9)(text);
  if (number <= MOST_SESSIONS) return number;
  throw new InvalidArgumentError(
    `A persona can have at most ${MOST_SESSIONS} sessions, because each part of its journey is given all earlier ones, and its dialogues share the history of one workflow. Use --n-sessions ${MOST_SESSIONS} or less, and more personas for more data.`,
  );
}

/** Parses persona numbers, such as `17,42`, and adds them to those of earlier options of the same name. */
export function parsePersonaNumbers(text: string, before: readonly number[] = []): number[] {
  const parts = text.split(',').map((part) => part.trim());
  if (parts.every((part) => /^[1-9]\d{0,14}$/.test(part))) return [...before, ...parts.map(Number)];
  throw new InvalidArgumentError('Expected numbers of personas, such as 17,42.');
}

/** Parses ids separated by commas, and adds them to those of earlier options of the same name. Rejects none, as `parsePath` does. */
export function parseIds(text: string, before: readonly string[] = []): string[] {
  const ids = text
    .split(',')
    .map((part) => part.trim())
    .filter((part) => part !== '');
  if (ids.length > 0) return [...before, ...ids];
  throw new InvalidArgumentError('Expected ids from cupid failures, such as 17 or 42/s3.');
}

/** Builds a parser for one of these words. @param number how many of them the option takes */
export function buildWordParser<Word extends string>(
  words: readonly Word[],
  number = 'one',
): (text: string) => Word {
  return (text) => {
    const typedWord = text.trim();
    const word = words.find((name) => name === typedWord);
    if (word !== undefined) return word;
    throw new InvalidArgumentError(
      `Expected ${number} of ${words.join(', ')}.${formatCloseWord(typedWord, words)}`,
    );
  };
}

export function parseStore(text: string): string {
  const location = parseS3Location(text);
  if (location !== undefined) return formatS3Location(location);
  throw new InvalidArgumentError(`Expected ${S3_LOCATION_FORM}.`);
}

/** Parses `[HOST:]PORT`. Port 0 means any free port; an IPv6 address is in brackets. */
export function parseTelemetryAddress(text: string): TelemetryAddress {
  const { host = '127.0.0.1', port } = ADDRESS.exec(text)?.groups ?? {};
  if (port !== undefined && Number(port) <= 65_535)
    return { host: host.replaceAll(/[[\]]/g, ''), port: Number(port) };
  throw new InvalidArgumentError(
    'Expected a port, such as 9464, or an address and a port, such as 0.0.0.0:9464.',
  );
}

const ADDRESS = /^(?:(?<host>[\w.-]+|\[[\da-f:.]+\]):)?(?<port>\d{1,5})$/i;

/** Parses the address of a website, and removes slashes at its end. */
export function parseWebAddress(text: string): string {
  const url = parseWith((address) => requireWebAddress(address, 'https://temporal.example.org'), text);
  return url.href.replace(/\/+$/, '');
}

/** Parses the address at which a proxy shows a page, and in which `{port}` is the page's port. */
export function parsePublicUrl(text: string): string {
  const example = 'https://hub.example.org/user/ann/proxy/{port}/';
  parseWith((address) => requireWebAddress(insertPort(address, 1), example), text);
  return text;
}

/** @throws InputError if it is no web address, or has a password, a query or a fragment */
function requireWebAddress(text: string, example: string): URL {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  const isPlain = url?.username === '' && url.password === '' && url.search === '' && url.hash === '';
  if (isPlain && /^https?:$/.test(url.protocol)) return url;
  throw new InputError(`Expected an address such as ${example}.`);
}

export function parseSpecOption(text: string): string {
  parseWith(checkSpec, text);
  return text;
}

/** Parses how a memory system is reached. */
export function parseAdapterOption(text: string): string {
  parseWith(parseModelSpec, `memory:${text}`);
  return text;
}

/** Parses `90s`, `30m` or `2h`. Returns milliseconds. */
export function parseTimeOption(text: string): number {
  return parseWith(parseMinutes, text);
}

/** Parses the value of an option by a function whose errors repeat no secret. @throws an error for the command line */
function parseWith<T>(reader: (text: string) => T, text: string): T {
  try {
    return reader(text);
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    throw mayHoldSecret(text) ? new UsageError(message) : new InvalidArgumentError(message);
  }
}

/**
 * Returns whether an option's value may hold a secret: a SPEC's password (after @) or key (after ?). Commander repeats
 * values.
 */
function mayHoldSecret(text: string): boolean {
  return text.includes('@') || (text.includes('?') && !text.startsWith('simulated:'));
}

export interface RetryOptions extends CarryOutOptions, RetryRequest {
  /** Checks the whole journal, and repeats calls with damaged or missing entries. */
  readonly damaged?: true;
}

/** Options of several commands, in alphabetical order: flags, usual description, and the parser of their values. */
const SHARED = {
  batch: [
    '--batch [wait]',
    'send calls in batches, for half the price, to providers that have them; wait at most this long for each',
    parseTimeOption,
  ],
  check: ['--no-check', 'start without checking each model with one short call'],
  concurrency: ['--concurrency <n>', 'maximum model calls in flight', buildNumberParser(1, 10_000)],
  estimate: ['--estimate', 'print the expected calls, tokens and cost; calls no model and writes nothing'],
  json: ['--json', 'print the result as JSON'],
  models: [
    '--models <file>',
    'prices and parameters of models, added to the built-in ones (YAML or JSON)',
    parsePath,
  ],
  port: ['--port <n>', 'port of the page', buildNumberParser(1, 65_535)],
  publicUrl: [
    '--public-url <url>',
    'address at which a proxy shows the page, such as https://hub.example.org/user/ann/proxy/{port}/ (default: that of code-server or Codespaces, if the page runs there)',
    parsePublicUrl,
  ],
  profile: ['--profile <name>', "profile in Temporal's configuration file: run on that cluster"],
  prompts: ['--prompts <dir>', 'prompt pack to use instead of the built-in one', parsePath],
  seed: ['--seed <n>', 'seed for every random choice', buildNumberParser(0, 2 ** 31 - 1)],
  settings: [
    '--settings <file>',
    'YAML or JSON file with settings per step: temperature, maxTokens, reasoningEffort, body, maxRepairs, maxSamples',
    parsePath,
  ],
  split: ['--split <name>', `only the personas of this split: ${SPLITS.join(', ')}`, buildWordParser(SPLITS)],
  store: [
    '--store <url>',
    'S3-compatible storage for journal, records and data sets, for example s3://bucket/run-1 (default: the folder)',
    parseStore,
  ],
  telemetry: [
    '--telemetry <[host:]port>',
    'serve /metrics for Prometheus, /healthz and /readyz over HTTP (default host: 127.0.0.1)',
    parseTelemetryAddress,
  ],
  trust: ['--trust', 'consent to the models that the folder names: run their code, send them your key'],
  verified: [
    '--verified [dir]',
    'only the instances that cupid verify accepted; results folder (default: verification in the run folder)',
    parsePath,
  ],
  repeatChanged: ['--repeat-changed', 'repeat the instances that differ from the data of an earlier command'],
  wherePersona: [
    '--where-persona <file>',
    'only the personas in this file: one id per line, or a JSON list',
    parsePath,
  ],
} satisfies Record<string, SharedOption>;

type SharedOption = readonly [flags: string, description: string, parse?: (text: string) => unknown];

/** Builds an option that several commands have. @param description absent for the usual one */
export function buildSharedOption(name: keyof typeof SHARED, description?: string): Option {
  const [flags, defaultDescription, parse]: SharedOption = SHARED[name];
  const option = new Option(flags, description ?? defaultDescription);
  return parse === undefined ? option : option.argParser(parse);
}

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
    .addOption(buildSharedOption('models'))
    .option(
      '--tier <tier>',
      'service tier: flex costs half and takes minutes, standard is the default; start with a SPEC to change one model only',
      (text, before: readonly TierRequest[] | undefined) => [...(before ?? []), parseWith(parseTier, text)],
    )
    .option(
      '--tier-fallback <time>',
      'send calls in the standard tier when the flex tier has had no capacity for this long, for example 30m',
      parseTimeOption,
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
  profile?: string,
  budgetHelp?: string,
): Command {
  command.addOption(buildSharedOption('concurrency').default(32));
  return addSteeringOptions(command, budgetHelp)
    .addOption(buildSharedOption('estimate'))
    .addOption(buildSharedOption('check'))
    .addOption(buildSharedOption('profile', profile))
    .addOption(buildSharedOption('trust'))
    .addOption(buildSharedOption('telemetry'))
    .addOption(buildSharedOption('json', json));
}
