import type { Provider } from '../../schemas/model/provider';

/** Providers whose name is not the developer's on the Hub. */
const DEVELOPERS: Readonly<Partial<Record<string, string>>> = { gemini: 'google' };

const MANAGED: ReadonlySet<string> = new Set<Provider>([
  'openai',
  'anthropic',
  'gemini',
  'together',
  'bedrock',
]);

/**
 * Converts a model's name in results to an id as on the Hub: `openai:gpt-6` to `openai/gpt-6`. Names that have a developer, as at Together, keep it.
 * Characters that no path may contain become hyphens.
 */
export function buildModelId(name: string): string {
  const colon = name.indexOf(':');
  const provider = name.slice(0, colon);
  // A server's address names no model.
  const model = name.slice(colon + 1).replace(/@https?:\/\/.*$/, '');
  const parts = (provider === 'module' ? model.split('/').slice(-1) : model.split('/')).map((part) =>
    part.replaceAll(/[^\w.+@=-]+/g, '-').replace(/\.+$/, ''),
  );
  return parts.length > 1 ? parts.join('/') : `${DEVELOPERS[provider] ?? provider}/${parts.join('')}`;
}

/** Builds a model's description in the form of Every Eval Ever. @param answerers models that answered under this name, if there were several */
export function buildModelInfo(
  name: string,
  answerers: readonly string[],
): { readonly id: string; readonly [field: string]: unknown } {
  const provider = name.slice(0, name.indexOf(':'));
  return {
    name,
    id: buildModelId(name),
    inference_platform: provider,
    additional_details: {
      deployment_type: MANAGED.has(provider) ? 'externally_managed' : 'unknown',
      model_availability: 'unknown',
      ...(answerers.length > 0 && { answered_by: answerers.join(', ') }),
    },
  };
}
