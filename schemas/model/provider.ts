export const PROVIDERS = [
  'openai',
  'bedrock',
  'together',
  'anthropic',
  'gemini',
  'openai-compatible',
  'module',
  // A memory system, which --memory names: it answers no prompt.
  'memory',
  'simulated',
] as const;
export type Provider = (typeof PROVIDERS)[number];

/** Providers of models. */
export const MODEL_PROVIDERS = PROVIDERS.filter((name) => name !== 'memory');

/** Returns true for a service or a server of models, which may have keys, prices and tiers; the others are on the user's side. */
export function isService(provider: Provider): boolean {
  return provider !== 'simulated' && provider !== 'module' && provider !== 'memory';
}

/** Beginnings of models' names that belong to one provider, for a SPEC without the provider. */
export const NAME_BEGINNINGS = {
  openai: /^(?:gpt-|o\d)/i,
  anthropic: /^claude-/i,
  gemini: /^gemini-/i,
} as const satisfies Partial<Record<Provider, RegExp>>;

/** Environment variables for a provider's key; the first that is set counts. */
export const KEY_VARIABLES = {
  openai: ['OPENAI_API_KEY'],
  anthropic: ['ANTHROPIC_API_KEY'],
  together: ['TOGETHER_API_KEY'],
  gemini: ['GOOGLE_API_KEY', 'GEMINI_API_KEY'],
  'openai-compatible': ['OPENAI_COMPATIBLE_API_KEY'],
  bedrock: ['AWS_BEARER_TOKEN_BEDROCK'],
} as const satisfies Partial<Record<Provider, readonly string[]>>;
export type KeyedProvider = keyof typeof KEY_VARIABLES;

/** Environment variables for a provider's base URL; the first that is set counts. */
export const BASE_URL_VARIABLES = {
  openai: ['OPENAI_BASE_URL'],
  anthropic: ['ANTHROPIC_BASE_URL'],
  together: ['TOGETHER_BASE_URL'],
  gemini: ['GOOGLE_GEMINI_BASE_URL'],
  bedrock: ['AWS_ENDPOINT_URL_BEDROCK_RUNTIME', 'AWS_ENDPOINT_URL'],
} as const satisfies Partial<Record<Provider, readonly string[]>>;
