import type { ModelFacts } from '../schemas/model/model-table';
import { formatNumber } from '../schemas/text/count-text';
import { ModelError, type OptionalParameter } from './errors/error';
import type { Model, ModelAnswer, ModelRequest } from './model';
import { fitTemplate } from './opening';
import { chooseParameters, type Send, type SentParameters } from './parameters';
import { createAnswerSeparator } from './separated-answer';

/** Known facts of a model, extended by what its provider rejects, and by answers that show more. */
export interface Knowledge {
  facts(): ModelFacts;
  /**
   * Records a fact that an answer showed; called once per fact.
   * @param evidence the provider's words, or what happened
   */
  learn(facts: ModelFacts, evidence: string): void;
}

/** Creates the knowledge of a model whose facts are in no table; kept as long as the model is open. */
export function createKnowledge(facts: ModelFacts = {}): Knowledge {
  let currentFacts = facts;
  return {
    facts: () => currentFacts,
    learn(lesson) {
      currentFacts = { ...currentFacts, ...lesson };
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
  const sendOnce: Send = async (...call) => {
    try {
      const answer = await send(...call);
      hasAnswered = true;
      return answer;
    } catch (error) {
      throw error instanceof ModelError ? considerServer(error, hasAnswered) : error;
    }
  };
  return {
    async ask(request, signal, sending = {}) {
      // Prevents an endless loop with a server that rejects both names of the token limit.
      const learned = new Set<string>();
      for (;;) {
        const facts = knowledge.facts();
        const parameters = chooseParameters(request, sending, facts);
        try {
          const answer = await sendOnce(fitTemplate(request, facts), parameters, signal);
          const separated = separate(answer, request, facts);
          learnFromAnswer(separated, parameters, knowledge);
          return separated;
        } catch (error) {
          if (!(error instanceof ModelError)) throw error;
          if (canDoWithLess(error, facts)) {
            const usualFacts = { ...facts, extraTokens: 0 };
            const answer = await sendOnce(
              fitTemplate(request, usualFacts),
              chooseParameters(request, sending, usualFacts),
              signal,
            );
            // A prompt that is too long says nothing about the limit of other answers.
            if (error.kind === 'bad-request') knowledge.learn({ extraTokens: 0 }, error.message);
            return separate(answer, request, usualFacts);
          }
          const { kind, message, retryAfterMs, rejected, usage } = error;
          // Providers other than OpenAI report a full flex tier only as unavailable; a page is not theirs, and a full tier has no usage.
          const mayBeFull = kind === 'unavailable' && !error.isPage && usage === undefined;
          if (parameters.tier === 'flex' && mayBeFull)
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

/** Returns the error that a response is from a server that has answered this process before, or never has. */
function considerServer(error: ModelError, hasAnswered: boolean): ModelError {
  const { kind, message, retryAfterMs, cause, isPage, isRetryable, usage } = error;
  if (!hasAnswered && kind === 'invalid-response')
    return new ModelError(kind, message, retryAfterMs, { cause, usage, isUnknownServer: true });
  if (!hasAnswered || !isPage || isRetryable) return error;
  return new ModelError('unavailable', `${message} ${PAGE_EXPLANATION}`, retryAfterMs, { cause, isPage });
}

const PAGE_EXPLANATION =
  'The server has answered before, so the call is retried: a gateway sends pages while the server behind it restarts.';

/**
 * Learns from an answer whose reasoning used up its tokens. The limits of the model are then raised once: more than that was never seen to help, and
 * each answer is paid for.
 */
export function learnFromAnswer(
  { finish }: ModelAnswer,
  { tokenLimit }: SentParameters,
  knowledge: Knowledge,
): void {
  const isUsedUp = finish === 'reasoning' && tokenLimit >= LEAST_USED_UP;
  if (!isUsedUp || knowledge.facts().extraTokens !== undefined) return;
  knowledge.learn(
    { extraTokens: EXTRA_TOKENS },
    `Reasoning used up the limit of ${formatNumber(tokenLimit)} tokens, without an answer.`,
  );
}

/** Tokens that a raised limit has more: the largest allowance in the model table. */
const EXTRA_TOKENS = 16_384;

/** Smaller limits, as that of a check, show nothing about the reasoning of a model. */
const LEAST_USED_UP = 1_000;

/** Returns true if a request may have been rejected because of its raised limit. One that was charged was not rejected. */
function canDoWithLess({ kind, rejected, usage }: ModelError, { extraTokens = 0 }: ModelFacts): boolean {
  if (extraTokens === 0 || rejected !== undefined || usage !== undefined) return false;
  return kind === 'bad-request' || kind === 'context-length';
}

/** Derives a fact of the model from what was rejected; undefined if nothing that was sent can be left out. */
export function findLesson(rejected: OptionalParameter | undefined, ...context: Parameters<Lesson>) {
  return rejected && LESSONS[rejected](...context);
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
    tokenLimitName === 'max_completion_tokens' ? undefined : { tokenLimitName: 'max_completion_tokens' },
  max_completion_tokens: ({ tokenLimitName }) =>
    tokenLimitName === 'max_tokens' ? undefined : { tokenLimitName: 'max_tokens' },
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
