import { findLesson, learnFromAnswer, type Knowledge } from '../adapting-model';
import type { ModelError, OptionalParameter } from '../errors/error';
import type { ModelAnswer, ModelRequest, Sending } from '../model';
import { fitTemplate } from '../opening';
import { chooseParameters, type AskedParameters, type SentParameters } from '../parameters';
import { createAnswerSeparator } from '../separated-answer';

/** A batch that was sent, or may have been. */
export interface SentBatch {
  /** At most 40 of `A-Za-z0-9_-`; begins the ids of its requests. */
  readonly id: string;
  readonly requests: number;
  /** Time when it was first sent, in milliseconds since 1970. */
  readonly sentAtMs: number;
  /** One of the provider's ids for it, if known. */
  readonly providerId?: string;
}

/** Requests that are submitted together, under a unique name of ours. */
export interface BatchFile extends SentBatch {
  /** Reads its requests, as written by `render`, one per line. */
  readonly read: () => Promise<string>;
}

/** State of a provider's batch. */
export type BatchState =
  | { readonly state: 'waiting'; readonly answers?: number }
  | {
      readonly state: 'ended';
      /**
       * `expired`, `cancelled`: some requests may have answers; `failed`: the provider did not accept the file; `full`: it accepts no more
       * requests for now.
       */
      readonly outcome: 'completed' | 'expired' | 'cancelled' | 'failed' | 'full';
      /** The provider's message. */
      readonly message?: string;
      /** Present if the account cannot pay, so that its calls would fail one by one as well. */
      readonly unpaid?: ModelError;
    };

export type BatchResult = { readonly customId: string } & (
  | { readonly answer: ModelAnswer }
  | {
      readonly error: ModelError;
      /** True if the request was sent with a parameter that the model rejects, and would now be sent without it. */
      readonly isCorrected?: true;
    }
);

/** A provider's batches of requests to one model. Every method throws ModelError, as Model.ask does. */
export interface BatchApi {
  readonly most: { readonly requests: number; readonly bytes: number };
  /** Identifies key and address without revealing them: a batch can only be read with those that submitted it. */
  readonly account: string;
  /** Returns the line of a batch's file for this request. */
  render(customId: string, request: ModelRequest, parameters: SentParameters): string;
  /**
   * Returns the provider's ids of a batch, oldest first. There are several if it was sent again because its arrival was not confirmed. Providers
   * may list a batch only some time after they created it.
   */
  find(batch: SentBatch): Promise<readonly string[]>;
  submit(file: BatchFile): Promise<string>;
  poll(providerId: string): Promise<BatchState>;
  /** Returns the results of a batch that has ended, in any order. Missing requests were not answered. */
  results(providerId: string, file: BatchFile): AsyncIterable<BatchResult>;
  /** Cancels a batch that has not ended. */
  cancel(providerId: string): Promise<unknown>;
}

/** Batches with requests and answers in the form of `Model`. */
export interface BatchModel extends Omit<BatchApi, 'render' | 'results'> {
  render(customId: string, request: ModelRequest, sending: Sending): string;
  /**
   * Learns what the model rejects before it returns the result that says so.
   * @param askedOf returns what was asked, by the id of the request
   */
  results(
    providerId: string,
    file: BatchFile,
    askedOf: (customId: string) => Omit<AskedParameters, 'seed'> | undefined,
  ): AsyncIterable<BatchResult>;
}

/** Returns a model that is asked in batches, with supported parameters only. */
export function createBatchModel(api: BatchApi, knowledge: Knowledge): BatchModel {
  const separate = createAnswerSeparator();
  return {
    ...api,
    render(customId, request, sending) {
      const facts = knowledge.facts();
      return api.render(customId, fitTemplate(request, facts), chooseParameters(request, sending, facts));
    },
    async *results(providerId, file, askedOf) {
      const learned = new Set<OptionalParameter>();
      for await (const result of api.results(providerId, file)) {
        const parameters = askedOf(result.customId);
        if (parameters === undefined) {
          yield result;
          continue;
        }
        const facts = knowledge.facts();
        const sentParameters = chooseParameters({ ...parameters, seed: 0 }, {}, facts);
        if ('answer' in result) {
          const answer = separate(result.answer, parameters, facts);
          learnFromAnswer(answer, sentParameters, knowledge);
          yield { ...result, answer };
        } else yield learn(result, sentParameters, learned);
      }
    },
  };

  function learn(
    result: Extract<BatchResult, { readonly error: ModelError }>,
    sentParameters: SentParameters,
    learned: Set<OptionalParameter>,
  ): BatchResult {
    const { rejected, message } = result.error;
    if (rejected === undefined) return result;
    const facts = knowledge.facts();
    const lesson = findLesson(rejected, sentParameters, facts, FIRST_MESSAGES);
    // A model that rejects both names of the limit would otherwise get batch after batch.
    const isOtherName = lesson?.tokenLimitName !== undefined && facts.tokenLimitName !== undefined;
    if (lesson !== undefined && !isOtherName) {
      knowledge.learn(lesson, message);
      learned.add(rejected);
    }
    return learned.has(rejected) ? { ...result, isCorrected: true } : result;
  }
}

/** The messages of every request in a batch begin in this way: a system message, if it is rejected, and the user's. */
const FIRST_MESSAGES: Pick<ModelRequest, 'system' | 'messages'> = {
  system: 'sent',
  messages: [{ role: 'user', content: 'sent' }],
};
