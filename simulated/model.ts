import { setTimeout as wait } from 'node:timers/promises';
import { ModelError } from '../models/errors/error';
import type { Model, ModelAnswer, ModelRequest } from '../models/model';
import type { ModelSpec } from '../schemas/model-spec';
import type { Step } from '../schemas/step';
import { randomOf, type Random } from '../rules/sampling/random';
import { answerAssistant } from './answers/assistant';
import { answerChecklist } from './answers/checklist';
import { answerClassify } from './answers/classify';
import { answerDescribe } from './answers/describe';
import { answerFactors } from './answers/factors';
import { answerInfer } from './answers/infer';
import { answerJourney } from './answers/journey';
import { answerJudge } from './answers/judge';
import { answerMatch } from './answers/match';
import { answerRespond } from './answers/respond';
import { answerSummarize } from './answers/summarize';
import { answerUser } from './answers/user';
import { spoil } from './malformed';
import { parseSimulatedOptions, type SimulatedOptions } from './options';

/**
 * A model that answers every step of synthesis and evaluation in its form without any network. What it answers depends on the request alone
 * (its step, prompts, values, ask, seed): never on time or on the order of requests. Only the failures `rate429`, `rate5xx`
 * and `timeout` are counted over its life, since they are no answers.
 * @throws Error for options there are not.
 */
export function simulatedModel(spec: ModelSpec): Model {
  const name = `simulated:${spec.model}`;
  const options = parseSimulatedOptions(spec.options);
  const fault = faultsInTurn(options);
  return {
    ask: async (request, signal) => {
      signal.throwIfAborted();
      if (options.latency > 0) await waited(options.latency, signal);
      const error = fault();
      if (error !== undefined) throw error;
      return answer(name, options, request);
    },
  };
}

function answer(name: string, options: SimulatedOptions, request: ModelRequest): ModelAnswer {
  const identity = JSON.stringify({ name, ...request });
  const chance = randomOf('fault', identity);
  const drawn = (fraction: number) => chance.integer(1_000_000) < fraction * 1_000_000;
  const faults = {
    malformed: drawn(options.malformed) || fails(options, identity),
    cutoff: drawn(options.cutoff),
    refused: drawn(options.refused),
    empty: drawn(options.empty),
  };
  const input =
    tokensIn(request.system) + request.messages.reduce((sum, { content }) => sum + tokensIn(content), 0);
  if (options.context !== undefined && input > options.context) {
    throw new ModelError(
      'context-length',
      `The prompt has ${input} tokens, more than the context of the simulated model (context=${options.context}). Set a larger context, or use a shorter history.`,
    );
  }
  const told = (text: string, finish: ModelAnswer['finish']): ModelAnswer => ({
    text,
    finish,
    model: name,
    usage: { input, output: tokensIn(text) },
  });
  if (faults.refused) return told('I am sorry, but I cannot help with that.', 'refused');
  if (faults.empty) return told('', 'complete');
  const right = answered(request, randomOf('answer', identity));
  if (faults.malformed) return told(spoil(request.step, right, chance), 'complete');
  const longest = request.maxTokens * CHARACTERS_PER_TOKEN;
  if (faults.cutoff) return told(right.slice(0, Math.min(Math.floor(right.length * 0.6), longest)), 'length');
  return right.length > longest ? told(right.slice(0, longest), 'length') : told(right, 'complete');
}

/** @throws ModelError for a step that is not known. */
function answered(request: ModelRequest, random: Random): string {
  const answerStep = ANSWERS.get(request.step);
  if (answerStep === undefined) {
    throw new ModelError('bad-request', `The simulated model cannot answer the step "${request.step}".`);
  }
  return answerStep(request, random);
}

const STEP_ANSWERS: Readonly<Record<Step, (request: ModelRequest, random: Random) => string>> = {
  describe: answerDescribe,
  factors: answerFactors,
  journey: answerJourney,
  checklist: answerChecklist,
  assistant: answerAssistant,
  user: answerUser,
  summarize: answerSummarize,
  infer: answerInfer,
  decompose: answerChecklist,
  match: answerMatch,
  respond: answerRespond,
  judge: answerJudge,
  classify: answerClassify,
};

/** By any text: what asks may know steps that this model does not. */
const ANSWERS = new Map(Object.entries(STEP_ANSWERS));

const CHARACTERS_PER_TOKEN = 4;

function tokensIn(text: string): number {
  return Math.ceil(text.length / CHARACTERS_PER_TOKEN);
}

function fails({ fail }: SimulatedOptions, identity: string): boolean {
  // The identity is JSON: the text is looked for as it is written there.
  return (
    fail !== undefined && identity.toLowerCase().includes(JSON.stringify(fail).slice(1, -1).toLowerCase())
  );
}

/** Failures by count, not by content: the same request asked again must be able to succeed. */
function faultsInTurn(options: SimulatedOptions): () => ModelError | undefined {
  let count = 0;
  return () => {
    count += 1;
    const draw = randomOf('failure', count).integer(1_000_000) / 1_000_000;
    const { rate429, rate5xx, timeout } = options;
    if (draw < rate429)
      return new ModelError(
        'rate-limit',
        'The simulated model rejected this request with a rate limit (option rate429).',
        200,
      );
    if (draw < rate429 + rate5xx)
      return new ModelError(
        'unavailable',
        'The simulated model was unavailable for this request (option rate5xx).',
      );
    if (draw < rate429 + rate5xx + timeout)
      return new ModelError('timeout', 'The simulated model timed out on this request (option timeout).');
    return undefined;
  };
}

async function waited(milliseconds: number, signal: AbortSignal): Promise<void> {
  try {
    await wait(milliseconds, undefined, { signal });
  } catch (error) {
    signal.throwIfAborted();
    throw error;
  }
}
