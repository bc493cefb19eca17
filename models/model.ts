import type { Message } from '../schemas/dataset/message';
import type { SingleTier, Tier } from '../schemas/model/tier';
import type { Usage } from '../schemas/model/usage';

/** A request to a model. These fields are its identity. */
export interface ModelRequest {
  /** The step's name, and the values that filled its prompt. They are for the simulated model, and never sent. */
  readonly step: string;
  readonly values: Readonly<Record<string, string>>;
  /** `prompt`: one rendered prompt; `chat`: a conversation. Some providers name the system role differently in each. */
  readonly form: 'prompt' | 'chat';
  readonly system: string;
  /**
   * At least one; roles alternate, the last is the user. May begin with the assistant, as the user simulator's history does. None is blank:
   * Anthropic, Bedrock and Gemini reject that, so an empty answer is not sent back.
   */
  readonly messages: readonly Message[];
  /** `default`: the model's own. */
  readonly temperature: number | 'default';
  /** Maximum tokens of the visible text; an allowance for reasoning is added. */
  readonly maxTokens: number;
  /** Amount of reasoning, in the provider's words; absent: the model's default. */
  readonly reasoningEffort?: string;
  /** Additional fields of the request on the wire. */
  readonly body?: Readonly<Record<string, unknown>>;
  /** Our own count of attempts, from 0; a new sample is a new attempt. Never Temporal's attempts. */
  readonly attempt: number;
  /** For providers that accept a seed; from 0 to 2³¹ − 1. */
  readonly seed: number;
}

/** The way a request is sent. It changes the cost, but not the request. */
export interface Sending {
  readonly tier?: SingleTier;
  /** Absent if no other call shares a prefix. */
  readonly cache?: CacheHint;
  /** Aborted when this process stops: messages in flight are awaited, and no further try is made. */
  readonly stopping?: AbortSignal;
}

/** Prefixes that a request shares with other calls. */
export interface CacheHint {
  /** Equal exactly for calls that share a prefix. */
  readonly key: string;
  /** The ends of shared prefixes, longest last. */
  readonly ends: readonly PrefixEnd[];
}

/** A position in a request: after its system text, or in one of its messages. */
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
   * `complete`: it ended by itself; `length`: its text was cut off at the limit; `reasoning`: reasoning used up the limit, so the text is missing
   * or incomplete; `refused`: the provider or the model declined; `failed`: it ended by a mistake of the model or its server.
   */
  readonly finish: 'complete' | 'length' | 'reasoning' | 'refused' | 'failed';
  /** The provider's reason of an answer that failed. */
  readonly failure?: string;
  /** The provider's finish reason if it is unknown; not stored. */
  readonly unknownFinish?: string;
  /** The model as the response named it; the requested name if it named none. */
  readonly model: string;
  /** The tier that served it, as named in the response; absent: the standard one. */
  readonly tier?: Tier;
  readonly usage: Usage;
}

/** A model behind a provider: messages in, text out. It knows nothing about CUPID. */
export interface Model {
  /**
   * Asks once; never retries by itself.
   * @throws ModelError for everything that the provider rejected or failed to answer. An aborted signal rejects with its reason.
   */
  ask(request: ModelRequest, signal: AbortSignal, sending?: Sending): Promise<ModelAnswer>;
}
