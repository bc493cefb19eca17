import { checkProvider, type ProviderCheck } from '../models/check-provider';
import { parseModelSpec } from '../schemas/model/model-spec';
import { isService, PROVIDERS } from '../schemas/model/provider';

/** Checks without a call that each model can be called. @throws Error that names all models that cannot */
export async function checkModels(specs: readonly string[], environment: NodeJS.ProcessEnv): Promise<void> {
  const problems: string[] = [];
  let isKeyMissing = false;
  for (const text of new Set(specs)) {
    const { provider, key, problem } = checkProvider(parseModelSpec(text), environment);
    if (problem === undefined) continue;
    if (provider === 'bedrock' && key === 'absent' && (await hasBedrockRole())) continue;
    problems.push(`${text}: ${problem}`);
    isKeyMissing ||= key === 'absent';
  }
  if (isKeyMissing) problems.push(KEY_REMEDY);
  if (problems.length > 0) throw new Error(problems.join('\n'));
}

const KEY_REMEDY =
  'To check the keys of all providers, run cupid doctor. For a first look without a key, use simulated:default as the model.';

// Loaded late: the SDK takes a while, and asking an instance for its role a second.
async function hasBedrockRole(): Promise<boolean> {
  const { hasCredentials } = await import('../models/providers/bedrock.js');
  return hasCredentials();
}

/** Checks each provider for `cupid doctor`: whether its key is set. The key itself is never shown. */
export function checkProviders(environment: NodeJS.ProcessEnv): ProviderCheck[] {
  return PROVIDERS.filter(isService).map((provider) =>
    checkProvider({ provider, model: 'any', url: 'http://localhost:8000/v1', options: {} }, environment),
  );
}
