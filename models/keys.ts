import { existsSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import type { ModelSpec, Provider } from '../schemas/model-spec';
import { ModelError } from './error';
import { moduleProblem } from './module';

/** Whether a provider could be asked from here. */
export interface ProviderCheck {
  readonly provider: Provider;
  readonly key: 'present' | 'absent' | 'not needed';
  /** What to set; never a key's value. */
  readonly problem?: string;
}

/** The variables that hold a provider's key, the first that is set counts. */
const KEY_VARIABLES = {
  openai: ['OPENAI_API_KEY'],
  anthropic: ['ANTHROPIC_API_KEY'],
  together: ['TOGETHER_API_KEY'],
  gemini: ['GOOGLE_API_KEY', 'GEMINI_API_KEY'],
  'openai-compatible': ['OPENAI_COMPATIBLE_API_KEY'],
  bedrock: ['AWS_BEARER_TOKEN_BEDROCK'],
} as const satisfies Partial<Record<Provider, readonly string[]>>;
export type KeyedProvider = keyof typeof KEY_VARIABLES;

/** How a message names a provider's key. */
export function keyHint(provider: KeyedProvider): string {
  return provider === 'bedrock'
    ? 'AWS credentials (AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, AWS_PROFILE or AWS_BEARER_TOKEN_BEDROCK)'
    : KEY_VARIABLES[provider].join(' or ');
}

/**
 * A provider's key out of the environment; undefined when none is set.
 * @throws ModelError `bad-key` when it cannot be sent as a header (a line break inside, a quote from a word processor)
 */
export function keyOf(provider: KeyedProvider, environment: NodeJS.ProcessEnv): string | undefined {
  const name = KEY_VARIABLES[provider].find((variable) => valueOf(environment, variable) !== undefined);
  const key = name === undefined ? undefined : valueOf(environment, name);
  if (key !== undefined && !/^[\x21-\x7e]+$/.test(key)) {
    throw new ModelError(
      'bad-key',
      `${name} holds characters that no key has. Set it again, to the key alone.`,
    );
  }
  return key;
}

/**
 * A provider's key that must be there.
 * @throws ModelError `bad-key` that names the variable to set
 */
export function requiredKey(provider: KeyedProvider, environment: NodeJS.ProcessEnv): string {
  const key = keyOf(provider, environment);
  if (key === undefined) throw new ModelError('bad-key', missingKey(provider));
  return key;
}

/** A variable's value without blanks around it; undefined when it is unset or empty. */
export function valueOf(environment: NodeJS.ProcessEnv, variable: string): string | undefined {
  const value = environment[variable]?.trim();
  return value === '' ? undefined : value;
}

/**
 * Whether a model's provider could be asked from this environment, without asking it: what `cupid doctor` says before
 * a run. Never tells a key's value.
 */
export function checkProvider(spec: ModelSpec, environment: NodeJS.ProcessEnv): ProviderCheck {
  const { provider } = spec;
  if (provider === 'simulated') return { provider, key: 'not needed' };
  if (provider === 'bedrock') return checkBedrock(environment);
  if (provider === 'module') {
    const problem = moduleProblem(spec, process.cwd());
    return { provider, key: 'not needed', ...(problem === undefined ? {} : { problem }) };
  }
  try {
    const present = keyOf(provider, environment) !== undefined;
    if (provider === 'openai-compatible') return { provider, key: present ? 'present' : 'not needed' };
    return present
      ? { provider, key: 'present' }
      : { provider, key: 'absent', problem: missingKey(provider) };
  } catch (error) {
    if (!(error instanceof ModelError)) throw error;
    return { provider, key: 'present', problem: error.message };
  }
}

function missingKey(provider: KeyedProvider): string {
  return `No key for ${provider}: set ${keyHint(provider)} in this command's environment, with export or before the command.`;
}

/** The default chain's usual places; an instance's role is found only by asking. */
function checkBedrock(environment: NodeJS.ProcessEnv): ProviderCheck {
  const provider = 'bedrock';
  const files = sharedFiles(environment);
  const present =
    files.length > 0 || BEDROCK_CREDENTIALS.some((name) => valueOf(environment, name) !== undefined);
  if (!present) {
    return {
      provider,
      key: 'absent',
      problem: `No credentials for bedrock: set ${keyHint(provider)} in this command's environment, or run where an instance role gives them.`,
    };
  }
  if (regionOf(environment) === undefined && files.length === 0) {
    return {
      provider,
      key: 'present',
      problem: 'No region for bedrock: set AWS_REGION, for example us-east-1.',
    };
  }
  return { provider, key: 'present' };
}

const BEDROCK_CREDENTIALS = [
  'AWS_BEARER_TOKEN_BEDROCK',
  'AWS_ACCESS_KEY_ID',
  'AWS_PROFILE',
  'AWS_WEB_IDENTITY_TOKEN_FILE',
  'AWS_CONTAINER_CREDENTIALS_RELATIVE_URI',
  'AWS_CONTAINER_CREDENTIALS_FULL_URI',
] as const;

/** The region Bedrock is asked in; undefined leaves it to the SDK (the shared config file). */
export function regionOf(environment: NodeJS.ProcessEnv): string | undefined {
  return valueOf(environment, 'AWS_REGION') ?? valueOf(environment, 'AWS_DEFAULT_REGION');
}

function sharedFiles(environment: NodeJS.ProcessEnv): string[] {
  const home = join(valueOf(environment, 'HOME') ?? valueOf(environment, 'USERPROFILE') ?? homedir(), '.aws');
  return [
    valueOf(environment, 'AWS_SHARED_CREDENTIALS_FILE') ?? join(home, 'credentials'),
    valueOf(environment, 'AWS_CONFIG_FILE') ?? join(home, 'config'),
  ].filter((file) => existsSync(file));
}
