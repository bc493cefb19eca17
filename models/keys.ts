import { existsSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { findBaseUrlProblem } from '../schemas/model/base-url';
import type { ModelSpec } from '../schemas/model/model-spec';
import {
  BASE_URL_VARIABLES,
  KEY_VARIABLES,
  type KeyedProvider,
  type Provider,
} from '../schemas/model/provider';
import { ModelError } from './errors/error';
import type { Caller } from './errors/failure';
import { findModuleProblem } from './providers/module';

/** Whether a provider can be called from this environment. */
export interface ProviderCheck {
  readonly provider: Provider;
  readonly key: 'present' | 'absent' | 'not needed';
  /** The variable to set; never a key's value. */
  readonly problem?: string;
}

/** Names the variables of a provider's key for messages. */
function formatKeyHint(provider: KeyedProvider): string {
  return provider === 'bedrock'
    ? 'AWS credentials (AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, AWS_PROFILE or AWS_BEARER_TOKEN_BEDROCK)'
    : KEY_VARIABLES[provider].join(' or ');
}

/** Builds the caller for messages: its name, and the keys that they must not contain. */
export function buildCaller(
  provider: KeyedProvider,
  model: string,
  ...secrets: readonly (string | undefined)[]
): Caller {
  return {
    spec: `${provider}:${model}`,
    keyHint: formatKeyHint(provider),
    secrets: secrets.filter((secret) => secret !== undefined),
  };
}

/**
 * Returns a provider's key from the environment; undefined if none is set.
 * @throws ModelError `bad-key` when it cannot be sent as a header (a line break inside, a quote from a word processor)
 */
export function findKey(provider: KeyedProvider, environment: NodeJS.ProcessEnv): string | undefined {
  const name = KEY_VARIABLES[provider].find((variable) => findValue(environment, variable) !== undefined);
  const key = name === undefined ? undefined : findValue(environment, name);
  if (key !== undefined && !/^[\x21-\x7e]+$/.test(key)) {
    throw new ModelError(
      'bad-key',
      `${name} contains a space, a line break or another character that no key has. Set it to the key only.`,
    );
  }
  return key;
}

/**
 * Returns a provider's key.
 * @throws ModelError `bad-key` that names the variable to set
 */
export function requireKey(provider: KeyedProvider, environment: NodeJS.ProcessEnv): string {
  const key = findKey(provider, environment);
  if (key === undefined) throw new ModelError('bad-key', formatMissingKey(provider));
  return key;
}

/**
 * Returns a provider's base URL from the environment; undefined if none is set, for the provider's own.
 * @throws ModelError `bad-request` when it cannot be used, or contains a secret; the message does not repeat it
 */
export function findBaseUrl(
  provider: keyof typeof BASE_URL_VARIABLES,
  environment: NodeJS.ProcessEnv,
): string | undefined {
  const variables: readonly string[] = BASE_URL_VARIABLES[provider];
  const name = variables.find((variable) => findValue(environment, variable) !== undefined);
  const url = name === undefined ? undefined : findValue(environment, name);
  const problem = url === undefined ? undefined : findBaseUrlProblem(url);
  if (problem !== undefined) {
    throw new ModelError(
      'bad-request',
      `${name} ${problem}. Set it to the plain URL, for example https://proxy.example/v1, and put the key into ${formatKeyHint(provider)}.`,
    );
  }
  return url;
}

/** Returns the trimmed value of a variable; undefined if it is unset or empty. */
export function findValue(environment: NodeJS.ProcessEnv, variable: string): string | undefined {
  const value = environment[variable]?.trim();
  return value === '' ? undefined : value;
}

/** Checks, for `cupid doctor`, whether a model's provider could be asked from this environment. Sends nothing, and never returns a key's value. */
export function checkProvider(spec: ModelSpec, environment: NodeJS.ProcessEnv): ProviderCheck {
  const { provider } = spec;
  if (provider === 'simulated' || provider === 'memory') return { provider, key: 'not needed' };
  if (provider === 'bedrock') return checkBedrock(environment);
  if (provider === 'module') {
    const problem = findModuleProblem(spec, process.cwd());
    return { provider, key: 'not needed', ...(problem === undefined ? {} : { problem }) };
  }
  const key = describeKey(provider, environment);
  const problem =
    findErrorMessage(() => findKey(provider, environment)) ??
    (provider === 'openai-compatible'
      ? undefined
      : findErrorMessage(() => findBaseUrl(provider, environment))) ??
    (key === 'absent' ? formatMissingKey(provider) : undefined);
  return { provider, key, ...(problem === undefined ? {} : { problem }) };
}

function describeKey(provider: KeyedProvider, environment: NodeJS.ProcessEnv): ProviderCheck['key'] {
  if (KEY_VARIABLES[provider].some((name) => findValue(environment, name) !== undefined)) return 'present';
  return provider === 'openai-compatible' ? 'not needed' : 'absent';
}

/** Returns the message of the ModelError that `read` throws; undefined if it succeeds. */
function findErrorMessage(read: () => unknown): string | undefined {
  try {
    read();
    return undefined;
  } catch (error) {
    if (error instanceof ModelError) return error.message;
    throw error;
  }
}

function formatMissingKey(provider: KeyedProvider): string {
  return `No key for ${provider}. Set ${formatKeyHint(provider)}, for example: export ${KEY_VARIABLES[provider][0]}=…`;
}

/** Checks the usual places of the default chain. The role of an instance can only be found by a request. */
function checkBedrock(environment: NodeJS.ProcessEnv): ProviderCheck {
  const provider = 'bedrock';
  const files = listSharedFiles(environment);
  const present =
    files.length > 0 || BEDROCK_CREDENTIALS.some((name) => findValue(environment, name) !== undefined);
  if (!present) {
    return {
      provider,
      key: 'absent',
      problem: `No credentials for bedrock. Set ${formatKeyHint(provider)}, or run on an instance that has a role.`,
    };
  }
  if (findRegion(environment) === undefined && files.length === 0) {
    return {
      provider,
      key: 'present',
      problem: 'No region for bedrock. Set it, for example: export AWS_REGION=us-east-1',
    };
  }
  const problem = findErrorMessage(() => findBaseUrl(provider, environment));
  return { provider, key: 'present', ...(problem === undefined ? {} : { problem }) };
}

const BEDROCK_CREDENTIALS = [
  'AWS_BEARER_TOKEN_BEDROCK',
  'AWS_ACCESS_KEY_ID',
  'AWS_PROFILE',
  'AWS_WEB_IDENTITY_TOKEN_FILE',
  'AWS_CONTAINER_CREDENTIALS_RELATIVE_URI',
  'AWS_CONTAINER_CREDENTIALS_FULL_URI',
] as const;

/** Returns the region for Bedrock; undefined leaves it to the SDK (the shared config file). */
export function findRegion(environment: NodeJS.ProcessEnv): string | undefined {
  return findValue(environment, 'AWS_REGION') ?? findValue(environment, 'AWS_DEFAULT_REGION');
}

function listSharedFiles(environment: NodeJS.ProcessEnv): string[] {
  const home = join(findHome(environment), '.aws');
  return [
    findValue(environment, 'AWS_SHARED_CREDENTIALS_FILE') ?? join(home, 'credentials'),
    findValue(environment, 'AWS_CONFIG_FILE') ?? join(home, 'config'),
  ].filter((file) => existsSync(file));
}

/** Returns the home directory; the root for a user of a container who has none. */
function findHome(environment: NodeJS.ProcessEnv): string {
  try {
    return findValue(environment, 'HOME') ?? findValue(environment, 'USERPROFILE') ?? homedir();
  } catch {
    return '/';
  }
}
