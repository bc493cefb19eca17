import { existsSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import type { ModelSpec } from '../schemas/model/model-spec';
import { KEY_VARIABLES, type KeyedProvider, type Provider } from '../schemas/model/provider';
import { ModelError } from './errors/error';
import { findBaseUrl, findKey, findRegion, findValue, formatKeyHint, formatMissingKey } from './keys';
import { findModuleProblem } from './providers/module';

/** Whether a provider can be called from this environment. */
export interface ProviderCheck {
  readonly provider: Provider;
  readonly key: 'present' | 'absent' | 'not needed';
  /** The variable to set; never a key's value. */
  readonly problem?: string;
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
