import type { Message } from '../schemas/dataset/message';
import type { SingleTier, Tier } from '../schemas/model/tier';
import type { Usage } from '../schemas/model/usage';

/** What a model is asked: the request's identity. */
export interface ModelRequest {
  /** The step's name and the values its prompt was rendered from: for the simulated model; never sent over the wire. */
  readonly step: string;
  readonly values: Readonly<Record<string, string>>;
  /** `prompt`: one rendered prompt; `chat`: a conversation. Some providers name the system role differently in each. */
  readonly form: 'prompt' | 'chat';
  readonly system: string;
  /**
   * At least one; roles alternate, the last is from the user. May begin with the assistant (the user simulator's
   * history does). None blank: Anthropic, Bedrock and Gemini refuse that, so an empty answer is not sent back.
   */
  readonly messages: readonly Message[];
  /** `default`: the model's own. */
  readonly temperature: number | 'default';
  /** Most tokens of the visible text; room for reasoning is added to it. */
  readonly maxTokens: number;
  /** How much the model reasons, in its provider's words; absent: the model's default. */
  readonly reasoningEffort?: string;
  /** Further fields of the request on the wire, as its provider takes them. */
  readonly body?: Readonly<Record<string, unknown>>;
  /** Our own count of askings, from 0; a new sample is a new ask. */
  readonly ask: number;
  /** Passed on to providers that take a seed; from 0 to 2³¹ − 1. */
  readonly seed: number;
}

/** How a request is sent. Changes what it costs, and nothing of what is asked. */
export interface Sending {
  readonly tier?: SingleTier;
  /** How many earlier asks of the same sample used up their token limit by reasoning. */
  readonly exhausted?: number;
  /** Absent for a call whose prefix no other call reads. */
  readonly cache?: CacheHint;
}

/** What of a request other calls share. */
export interface CacheHint {
  /** The same for calls that share a prefix, and only for these. */
  readonly key: string;
  /** Where shared prefixes end, the longest last. */
  readonly ends: readonly PrefixEnd[];
}

/** A place in a request: after its system text, or in one of its messages. */
export interface PrefixEnd {
  readonly message: number | 'system';
  /** Characters of the text before it; absent: all of it. */
  readonly characters?: number;
}

export interface ModelAnswer {
  /** The answer itself, not stripped; may be empty. */
  readonly text: string;
  /** The text as the provider sent it, if it had more than the answer: reasoning, special tokens, control characters. */
  readonly raw?: string;
  /**
   * `complete`: it ended by itself; `length`: its text was cut off at the limit; `reasoning`: there is none, because reasoning used up the limit,
   * or only a part; `refused`: the provider or the model declined.
   */
  readonly finish: 'complete' | 'length' | 'reasoning' | 'refused';
  /** The reason that the provider gives for its end, if nobody knows it; no part of what is kept. */
  readonly unknownFinish?: string;
  /** The model as the response named it; the asked name where the response names none. */
  readonly model: string;
  /** The tier that served it, as the response named it; absent: the standard one. */
  readonly tier?: Tier;
  readonly usage: Usage;
}

/** A model behind a provider: messages in, text out. Knows nothing about CUPID. */
export interface Model {
  /**
   * Asks once; never retries by itself.
   * @throws ModelError for everything the provider refused or failed to answer. An aborted signal rejects with its reason.
   */
  ask(request: ModelRequest, signal: AbortSignal, sending?: Sending): Promise<ModelAnswer>;
}
