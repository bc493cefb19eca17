import type { ModelFacts } from '../schemas/model/model-table';
import { ModelError, type OptionalParameter } from './errors/error';
import type { Model, ModelRequest } from './model';
import { fitTemplate } from './opening';
import { chooseParameters, type Send, type SentParameters } from './parameters';
import { createAnswerSeparator } from './separated-answer';

/** What is known of a model, and what its provider teaches by rejecting a parameter. */
export interface Knowledge {
  facts(): ModelFacts;
  /** Called once for each fact that the provider's answer contradicts. @param said the provider's words */
  learn(facts: ModelFacts, said: string): void;
}

/** Of a model that nothing is known of; kept as long as the model is open. */
export function createKnowledge(facts: ModelFacts = {}): Knowledge {
  let known = facts;
  return {
    facts: () => known,
    learn(more) {
      known = { ...known, ...more };
    },
  };
}

/**
 * Returns a model that is asked with what it takes. When the provider rejects a parameter that can be left out, the call is sent again without
 * it, and the next ones go out without it from the start.
 */
export function createAdaptingModel(send: Send, knowledge: Knowledge): Model {
  let hasAnswered = false;
  const separate = createAnswerSeparator();
  return {
    async ask(request, signal, sending = {}) {
      // A server that rejects both names of the token limit would be asked for ever.
      const learned = new Set<string>();
      for (;;) {
        const facts = knowledge.facts();
        const parameters = chooseParameters(request, sending, facts);
        try {
          const answer = await send(fitTemplate(request, facts), parameters, signal);
          hasAnswered = true;
          return separate(answer, request, facts);
        } catch (error) {
          if (error instanceof ModelError && error.kind === 'invalid-response' && !hasAnswered)
            throw createUnknownServerError(error);
          if (error instanceof ModelError && isFull(error, parameters)) throw createFullTierError(error);
          const lesson =
            error instanceof ModelError ? deriveLesson(error, parameters, facts, request) : undefined;
          const name = JSON.stringify(lesson);
          if (lesson === undefined || !(error instanceof ModelError) || learned.has(name)) throw error;
          learned.add(name);
          knowledge.learn(lesson, error.message);
        }
      }
    },
  };
}

function createUnknownServerError({ kind, message, retryAfterMs, cause }: ModelError): ModelError {
  return new ModelError(kind, message, retryAfterMs, { cause, isUnknownServer: true });
}

/** Providers other than OpenAI say of a full tier only that they are unavailable. */
function isFull({ kind }: ModelError, { tier }: SentParameters): boolean {
  return tier === 'flex' && kind === 'unavailable';
}

function createFullTierError({ message, retryAfterMs }: ModelError): ModelError {
  return new ModelError('no-capacity', message, retryAfterMs);
}

/** What a rejection says of the model; undefined when nothing that was sent can be left out. */
function deriveLesson(
  { rejected }: ModelError,
  sent: SentParameters,
  facts: ModelFacts,
  request: ModelRequest,
): ModelFacts | undefined {
  return rejected === undefined ? undefined : LESSONS[rejected](sent, facts, request);
}

const LESSONS: Readonly<
  Record<
    OptionalParameter,
    (sent: SentParameters, facts: ModelFacts, request: ModelRequest) => ModelFacts | undefined
  >
> = {
  temperature: ({ temperature }) => (temperature === undefined ? undefined : { temperature: 'rejected' }),
  seed: ({ seed }) => (seed === undefined ? undefined : { seed: 'rejected' }),
  // It reasons all the same, so it keeps its room for that.
  effort: ({ effort }, { reasoning }) =>
    effort === undefined ? undefined : { reasoning: { ...reasoning, efforts: [] } },
  cache: ({ caching }) => (caching === 'none' ? undefined : { caching: { kind: 'none' } }),
  max_tokens: ({ tokenLimitName }) =>
    tokenLimitName === 'max_completion_tokens' ? undefined : { tokenLimit: 'max_completion_tokens' },
  max_completion_tokens: ({ tokenLimitName }) =>
    tokenLimitName === 'max_tokens' ? undefined : { tokenLimit: 'max_tokens' },
  // Some templates count the system message as the first of the user's.
  alternation: (sent, facts, request) =>
    request.messages[0]?.role === 'assistant' && facts.assistantFirst !== 'rejected'
      ? { assistantFirst: 'rejected' }
      : foldSystem(sent, facts, request),
  'system-role': foldSystem,
};

function foldSystem(
  _: SentParameters,
  { systemRole }: ModelFacts,
  { system }: ModelRequest,
): ModelFacts | undefined {
  return system === '' || systemRole === 'rejected' ? undefined : { systemRole: 'rejected' };
}
