import { findBaseUrlProblem } from '../schemas/model/base-url';
import { BASE_URL_VARIABLES, KEY_VARIABLES, type KeyedProvider } from '../schemas/model/provider';
import { ModelError } from './errors/error';
import type { Caller } from './errors/failure';

/** Names the variables of a provider's key for messages. */
export function formatKeyHint(provider: KeyedProvider): string {
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

/** Describes which variable to set for a provider's key. */
export function formatMissingKey(provider: KeyedProvider): string {
  return `No key for ${provider}. Set ${formatKeyHint(provider)}, for example: export ${KEY_VARIABLES[provider][0]}=…`;
}

/** Returns the region for Bedrock; undefined leaves it to the SDK (the shared config file). */
export function findRegion(environment: NodeJS.ProcessEnv): string | undefined {
  return findValue(environment, 'AWS_REGION') ?? findValue(environment, 'AWS_DEFAULT_REGION');
}
