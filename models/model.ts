import type { Message } from '../schemas/message';
import type { Usage } from '../schemas/usage';

/** What a model is asked. Everything here but `signal` is part of the request's identity. */
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
  readonly temperature: number;
  /** Most tokens the answer may take. */
  readonly maxTokens: number;
  /** Our own count of askings, from 0; a new sample is a new ask. */
  readonly ask: number;
  /** Passed on to providers that take a seed; from 0 to 2³¹ − 1. */
  readonly seed: number;
}

export interface ModelAnswer {
  /** As the provider gave it, not stripped; may be empty. */
  readonly text: string;
  /** `complete`: it ended by itself; `length`: cut off at a token limit; `refused`: the provider or the model declined. */
  readonly finish: 'complete' | 'length' | 'refused';
  /** The model as the response named it; the asked name where the response names none. */
  readonly model: string;
  readonly usage: Usage;
}

/** A model behind a provider: messages in, text out. Knows nothing about CUPID. */
export interface Model {
  /**
   * Asks once; never retries by itself.
   * @throws ModelError for everything the provider refused or failed to answer. An aborted signal rejects with its reason.
   */
  ask(request: ModelRequest, signal: AbortSignal): Promise<ModelAnswer>;
}
