import { InvalidArgumentError, Option, type Command } from 'commander';
import { formatS3Location, parseS3Location, S3_LOCATION_FORM } from '../data/store/s3-location';
import type { TierRequest } from '../engine/costs/tiers';
import type { Budget } from '../schemas/run/steering';
import { checkSpec } from '../workers/check-spec';
import { UsageError } from './exit';
import type { Rates } from './steer/parse';

export interface SteeringOptions {
  readonly budget?: Budget;
  readonly rate?: readonly Rates[];
  readonly models?: string;
  readonly tier?: readonly TierRequest[];
  /** Milliseconds. */
  readonly tierFallback?: number;
}

/** How a run is carried out; nothing of it changes what the run makes. */
export interface CarryOutOptions extends SteeringOptions {
  readonly concurrency: number;
  /** Milliseconds that a batch is waited for; absent where calls are sent by themselves. */
  readonly batch?: number;
  readonly profile?: string;
  /** False with `--no-check`: the models are not checked before the run starts. */
  readonly check: boolean;
  /** The user consents to all models that the run folder names. */
  readonly trust?: true;
  readonly telemetry?: TelemetryAddress;
  readonly json?: true;
}

export interface TelemetryAddress {
  readonly host: string;
  readonly port: number;
}

export interface SynthOptions extends CarryOutOptions {
  /** Where the run has its store, such as `s3://bucket/run`. */
  readonly store?: string;
  readonly outputDir: string;
  readonly model: string;
  readonly userModel?: string;
  readonly assistantModel?: string;
  readonly nPersonas?: number;
  readonly nFactors: number;
  readonly nSessions: number;
  readonly maxTurns: number;
  readonly seed: number;
  readonly seeds?: string;
  readonly personas?: string;
  readonly taxonomy?: string;
  readonly prompts?: string;
  readonly settings?: string;
  readonly requireSatisfied?: 'relevant' | 'all';
  /** The numbers of the personas to regenerate. */
  readonly only?: readonly number[];
  readonly redo?: true;
  readonly redescribe?: true;
  readonly estimate?: true;
}

/**
 * A commander parser for paths. An empty one would resolve to the current directory, which nobody means who writes
 * `--output-dir "$UNSET"`.
 */
export function parsePath(text: string): string {
  if (text.trim() !== '') return text;
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

/** A commander parser for whole numbers of at least `least`. */
export function buildNumberParser(least: number, most = Number.MAX_SAFE_INTEGER): (text: string) => number {
  return (text) => {
    const number = /^\d+$/.test(text) ? Number(text) : Number.NaN;
    if (number >= least && number <= most) return number;
    // The largest number there is is no bound that anybody needs to know, unless it was passed.
    const upper = most === Number.MAX_SAFE_INTEGER && !(number > most) ? '' : ` and at most ${most}`;
    throw new InvalidArgumentError(`Expected a whole number of at least ${least}${upper}.`);
  };
}

/** A commander parser for numbers of personas, such as `17,42`; what several options of the name give is put together. */
export function parsePersonaNumbers(text: string, before: readonly number[] = []): number[] {
  const parts = text.split(',').map((part) => part.trim());
  if (parts.every((part) => /^[1-9]\d{0,14}$/.test(part))) return [...before, ...parts.map(Number)];
  throw new InvalidArgumentError('Expected numbers of personas, such as 17,42.');
}

/** A commander parser for ids with commas between them. */
export function parseIds(text: string, before: readonly string[] = []): string[] {
  const parts = text.split(',').map((part) => part.trim());
  return [...before, ...parts.filter((part) => part !== '')];
}

export function buildNoCheckOption(): Option {
  return new Option('--no-check', 'start without checking each model with one short call');
}

export function buildStoreOption(): Option {
  return new Option(
    '--store <url>',
    'S3-compatible storage for journal, records and data sets, for example s3://bucket/run-1 (default: the folder)',
  ).argParser(parseStore);
}

export function parseStore(text: string): string {
  const location = parseS3Location(text);
  if (location !== undefined) return formatS3Location(location);
  throw new InvalidArgumentError(`Expected ${S3_LOCATION_FORM}.`);
}

export function buildTrustOption(): Option {
  return new Option(
    '--trust',
    'consent to the models that the folder names: run their code, send them your key',
  );
}

export function buildTelemetryOption(): Option {
  return new Option(
    '--telemetry <[host:]port>',
    'serve /metrics for Prometheus, /healthz and /readyz over HTTP (default host: 127.0.0.1)',
  ).argParser(parseTelemetryAddress);
}

/** A commander parser for `[HOST:]PORT`; port 0 is any free one, and an IPv6 address is in brackets. */
export function parseTelemetryAddress(text: string): TelemetryAddress {
  const { host = '127.0.0.1', port } = ADDRESS.exec(text)?.groups ?? {};
  if (port !== undefined && Number(port) <= 65_535)
    return { host: host.replaceAll(/[[\]]/g, ''), port: Number(port) };
  throw new InvalidArgumentError(
    'Expected a port, such as 9464, or an address and a port, such as 0.0.0.0:9464.',
  );
}

const ADDRESS = /^(?:(?<host>[\w.-]+|\[[\da-f:.]+\]):)?(?<port>\d{1,5})$/i;

/** A commander parser for the address of a website, without a slash at its end. */
export function parseWebAddress(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  const isPlain = url?.username === '' && url.password === '' && url.search === '' && url.hash === '';
  if (isPlain && /^https?:$/.test(url.protocol)) return url.href.replace(/\/+$/, '');
  throw new InvalidArgumentError('Expected an address such as https://temporal.example.org.');
}

export function parseSpecOption(text: string): string {
  parseWith(checkSpec, text);
  return text;
}

/** Parses the value of an option by a function whose errors repeat no secret. @throws an error for the command line */
export function parseWith<T>(reader: (text: string) => T, text: string): T {
  try {
    return reader(text);
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    throw mayHoldSecret(text) ? new UsageError(message) : new InvalidArgumentError(message);
  }
}

/** Commander repeats the value of an option, and a SPEC may hold a password after an @ or a key after a ?. */
function mayHoldSecret(text: string): boolean {
  return text.includes('@') || (text.includes('?') && !text.startsWith('simulated:'));
}

export interface RetryOptions extends CarryOutOptions {
  /** Numbers of personas, or ids as `cupid failures` lists them; absent for all that failed or is missing. */
  readonly only?: readonly string[];
  readonly fromTurn?: number;
  readonly model?: string;
  /** Checks the whole journal, and asks again what is damaged or missing in it. */
  readonly damaged?: true;
}
