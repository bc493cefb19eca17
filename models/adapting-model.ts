import type { ModelFacts } from '../schemas/model/model-table';
import { ModelError, type OptionalParameter } from './errors/error';
import type { Model, ModelRequest } from './model';
import { fitTemplate } from './opening';
import { chooseParameters, type Send, type SentParameters } from './parameters';
import { createAnswerSeparator } from './separated-answer';

/** Known facts of a model, extended when its provider rejects a parameter. */
export interface Knowledge {
  facts(): ModelFacts;
  /**
   * Records a fact that the provider's answer contradicts; called once per fact.
   * @param said the provider's words
   */
  learn(facts: ModelFacts, said: string): void;
}

/** Creates the knowledge of a model whose facts are in no table; kept as long as the model is open. */
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
 * Returns a model that is sent only supported parameters. When the provider rejects a parameter that can be left out, the call is sent again
 * without it, and so are all later calls.
 */
export function createAdaptingModel(send: Send, knowledge: Knowledge): Model {
  let hasAnswered = false;
  const separate = createAnswerSeparator();
  return {
    async ask(request, signal, sending = {}) {
      // Prevents an endless loop with a server that rejects both names of the token limit.
      const learned = new Set<string>();
      for (;;) {
        const facts = knowledge.facts();
        const parameters = chooseParameters(request, sending, facts);
        try {
          const answer = await send(fitTemplate(request, facts), parameters, signal);
          hasAnswered = true;
          return separate(answer, request, facts);
        } catch (error) {
          if (!(error instanceof ModelError)) throw error;
          const { kind, message, retryAfterMs, cause, rejected } = error;
          if (kind === 'invalid-response' && !hasAnswered)
            throw new ModelError(kind, message, retryAfterMs, { cause, isUnknownServer: true });
          // Providers other than OpenAI report a full flex tier only as unavailable.
          if (parameters.tier === 'flex' && kind === 'unavailable')
            throw new ModelError('no-capacity', message, retryAfterMs);
          const lesson = findLesson(rejected, parameters, facts, request);
          const name = JSON.stringify(lesson);
          if (lesson === undefined || learned.has(name)) throw error;
          learned.add(name);
          knowledge.learn(lesson, message);
        }
      }
    },
  };
}

/** Derives a fact of the model from what was rejected; undefined if nothing that was sent can be left out. */
export function findLesson(rejected: OptionalParameter | undefined, ...sent: Parameters<Lesson>) {
  return rejected && LESSONS[rejected](...sent);
}

type Lesson = (
  sent: SentParameters,
  facts: ModelFacts,
  request: Pick<ModelRequest, 'system' | 'messages'>,
) => ModelFacts | undefined;

const LESSONS: Readonly<Record<OptionalParameter, Lesson>> = {
  temperature: ({ temperature }) => (temperature === undefined ? undefined : { temperature: 'rejected' }),
  seed: ({ seed }) => (seed === undefined ? undefined : { seed: 'rejected' }),
  // It still reasons, so its allowance for that stays.
  effort: ({ effort }, { reasoning }) =>
    effort === undefined ? undefined : { reasoning: { ...reasoning, efforts: [] } },
  cache: ({ caching }) => (caching === 'none' ? undefined : { caching: { kind: 'none' } }),
  max_tokens: ({ tokenLimitName }) =>
    tokenLimitName === 'max_completion_tokens' ? undefined : { tokenLimit: 'max_completion_tokens' },
  max_completion_tokens: ({ tokenLimitName }) =>
    tokenLimitName === 'max_tokens' ? undefined : { tokenLimit: 'max_tokens' },
  // Some templates count the system message as the user's first.
  alternation: (sent, facts, request) =>
    request.messages[0]?.role === 'assistant' && facts.assistantFirst !== 'rejected'
      ? { assistantFirst: 'rejected' }
      : foldSystem(sent, facts, request),
  'system-role': foldSystem,
  'chat-completions': ({ api }) => (api === 'responses' ? undefined : { api: 'responses' }),
};

function foldSystem(
  _: SentParameters,
  { systemRole }: ModelFacts,
  { system }: Pick<ModelRequest, 'system'>,
): ModelFacts | undefined {
  return system === '' || systemRole === 'rejected' ? undefined : { systemRole: 'rejected' };
}
