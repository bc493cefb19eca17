import * as z from 'zod';
import type { ModelSpec } from '../schemas/model/model-spec';

/**
 * Returns the day on which a provider shuts a model down, from its list of models. Undefined if it states none, or does not answer, because a
 * model can be called without its list.
 * @param environment contains the keys and base URLs
 */
export async function readRetirementDate(
  { provider, model }: ModelSpec,
  environment: NodeJS.ProcessEnv,
  signal: AbortSignal,
): Promise<string | undefined> {
  const options = { signal: AbortSignal.any([signal, AbortSignal.timeout(PATIENCE_MS)]) };
  const id = encodeURIComponent(model);
  try {
    if (provider === 'openai') {
      const { createOpenAiClient } = await import('./providers/openai.js');
      return openAiModelSchema.parse(await createOpenAiClient(environment).get(`/models/${id}`, options));
    }
    if (provider === 'anthropic') {
      const { createAnthropicClient } = await import('./providers/anthropic.js');
      return anthropicModelSchema.parse(
        await createAnthropicClient(environment).get(`/v1/models/${id}`, options),
      );
    }
  } catch {
    return undefined;
  }
  return undefined;
}

/** Milliseconds to wait; short, because nothing depends on the answer. */
const PATIENCE_MS = 10_000;

const openAiModelSchema = z
  .object({ shutdown_date: z.iso.date().nullish() })
  .transform(({ shutdown_date: date }) => date ?? undefined);

/** A date, or a time in RFC 3339. */
const anthropicModelSchema = z
  .object({ retires_at: z.string().nullish() })
  .transform(({ retires_at: time }) => time?.slice(0, 10))
  .pipe(z.iso.date().optional());
