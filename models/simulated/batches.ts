import * as z from 'zod';
import type { ModelSpec } from '../../schemas/model/model-spec';
import type { BatchApi } from '../batches/batch';
import { ModelError } from '../errors/error';
import type { ModelRequest } from '../model';
import { openSimulatedModel } from './model';

/**
 * Opens batches of the simulated model, which end as soon as they are submitted. Nothing is stored: answers are computed when they are fetched,
 * from the run's own copy of the requests.
 */
export function openSimulatedBatches(spec: ModelSpec): BatchApi {
  const { latency: _, ...options } = spec.options;
  const model = openSimulatedModel({ ...spec, options });
  return {
    most: { requests: 50_000, bytes: 200_000_000 },
    account: 'simulated',
    render: (customId, request) => JSON.stringify({ customId, request }),
    find: async () => [],
    submit: async ({ id }) => id,
    poll: async () => ({ state: 'ended', outcome: 'completed' }),
    async *results(_id, file) {
      for (const line of (await file.read()).split('\n').filter(Boolean)) {
        const { customId, request } = lineSchema.parse(JSON.parse(line));
        try {
          yield { customId, answer: await model.ask(request, new AbortController().signal) };
        } catch (error) {
          if (!(error instanceof ModelError)) throw error;
          yield { customId, error };
        }
      }
    },
    cancel: async () => undefined,
  };
}

// The request must stay as written, because its answer depends on the order of its fields.
const lineSchema = z.object({ customId: z.string(), request: z.custom<ModelRequest>() });
