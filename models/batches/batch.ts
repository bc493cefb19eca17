import type { Knowledge } from '../adapting-model';
import type { ModelError } from '../errors/error';
import type { ModelAnswer, ModelRequest, Sending } from '../model';
import { fitTemplate } from '../opening';
import { chooseParameters, type SentParameters } from '../parameters';
import { createAnswerSeparator } from '../separated-answer';

/** A batch that was sent, or may have been. */
export interface SentBatch {
  /** At most 40 of `A-Za-z0-9_-`; begins the ids of its requests. */
  readonly id: string;
  readonly requests: number;
  /** When it was sent for the first time, in milliseconds since 1970. */
  readonly sentAtMs: number;
  /** One of the provider's ids of it, when that is known. */
  readonly providerId?: string;
}

/** Requests that are submitted together, under a name of ours that no other batch has. */
export interface BatchFile extends SentBatch {
  /** Its requests, as `render` wrote them, one a line. */
  readonly read: () => Promise<string>;
}

/** How a provider's batch stands. */
export type BatchState =
  | { readonly state: 'waiting'; readonly answered?: number }
  | {
      readonly state: 'ended';
      /**
       * `expired`, `cancelled`: some requests may have answers; `failed`: the provider did not accept the file; `full`: it accepts no more
       * requests for now.
       */
      readonly how: 'completed' | 'expired' | 'cancelled' | 'failed' | 'full';
      /** What the provider said. */
      readonly message?: string;
    };

export type BatchResult = { readonly customId: string } & (
  | { readonly answer: ModelAnswer }
  | { readonly error: ModelError }
);

/** A provider's batches of requests to one model. Every method throws ModelError, as Model.ask does. */
export interface BatchApi {
  readonly most: { readonly requests: number; readonly bytes: number };
  /** Identifies key and address, and reveals neither: a batch can be read with those that it was submitted with. */
  readonly account: string;
  /** Returns the line of a batch's file that asks this. */
  render(customId: string, request: ModelRequest, parameters: SentParameters): string;
  /**
   * Returns the provider's ids of a batch, the oldest first: several where it was sent again because nobody heard that it had arrived. Providers may
   * list a batch only some time after they made it.
   */
  find(batch: SentBatch): Promise<readonly string[]>;
  submit(file: BatchFile): Promise<string>;
  poll(providerId: string): Promise<BatchState>;
  /** What became of the requests of a batch that has ended, in any order; those that are absent were not answered. */
  results(providerId: string, file: BatchFile): AsyncIterable<BatchResult>;
  /** For a batch that has not ended. */
  cancel(providerId: string): Promise<unknown>;
}

/** The same, with requests and answers as `Model` has them. */
export interface BatchModel extends Omit<BatchApi, 'render' | 'results'> {
  render(customId: string, request: ModelRequest, sending: Sending): string;
  /** @param maxTokensOf the limit of a request's visible text, by its id */
  results(
    providerId: string,
    file: BatchFile,
    maxTokensOf: (customId: string) => number | undefined,
  ): AsyncIterable<BatchResult>;
}

/** Returns a model that is asked in batches, with what it takes. */
export function createBatchModel(api: BatchApi, knowledge: Knowledge): BatchModel {
  const separate = createAnswerSeparator();
  return {
    ...api,
    render(customId, request, sending) {
      const facts = knowledge.facts();
      return api.render(customId, fitTemplate(request, facts), chooseParameters(request, sending, facts));
    },
    async *results(providerId, file, maxTokensOf) {
      for await (const result of api.results(providerId, file)) {
        const maxTokens = maxTokensOf(result.customId);
        yield 'answer' in result && maxTokens !== undefined
          ? { ...result, answer: separate(result.answer, { maxTokens }, knowledge.facts()) }
          : result;
      }
    },
  };
}
