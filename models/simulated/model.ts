import { setTimeout as wait } from 'node:timers/promises';
import { ModelError } from '../errors/error';
import type { Model, ModelAnswer, ModelRequest } from '../model';
import type { ModelSpec } from '../../schemas/model/model-spec';
import { getAnswerForm, type Step } from '../../schemas/run/step';
import { createRandom, type Random } from '../../rules/sampling/random';
import { spoilAnswer } from './malformed';
import { parseSimulatedOptions, SIMULATED_MODELS, type SimulatedOptions } from './options';
import { answerAssistant, answerUser } from './answers/dialogue';
import { answerChecklist } from './answers/checklist';
import { answerDescribe } from './answers/describe';
import {
  answerChoose,
  answerClassify,
  answerInfer,
  answerJudge,
  answerMatch,
  answerRespond,
  answerSummarize,
} from './answers/evaluation';
import { answerFactors } from './answers/factors';
import { answerJourney } from './answers/journey';
import { answerContradict, answerExpress, answerGuess } from './answers/verification';

/**
 * Opens a model that answers every step of synthesis and evaluation in its form, without a network. Answers depend on the request alone (its step,
 * prompts, values, attempt, seed): never on time or on the order of requests.
 * @throws Error for unknown options
 */
export function openSimulatedModel(spec: ModelSpec): Model {
  const name = `simulated:${spec.model}`;
  const options = parseSimulatedOptions({ ...SIMULATED_MODELS[spec.model]?.options, ...spec.options });
  return {
    ask: async (request, signal) => {
      signal.throwIfAborted();
      if (options.latency > 0) await waitFor(options.latency, signal);
      return answerRequest(name, options, request);
    },
  };
}

const CHARACTERS_PER_TOKEN = 4;

/** @throws ModelError for an unknown step, and for a prompt longer than the context */
function answerRequest(name: string, options: SimulatedOptions, request: ModelRequest): ModelAnswer {
  const { attempt, seed, ...fields } = request;
  // The names and their order are a part of the identity, and so decide every simulated text.
  const identity = JSON.stringify({ name, ...fields, ask: attempt, seed });
  const chance = createRandom('fault', identity);
  const drawFault = (fraction: number) => chance.integer(1_000_000) < fraction * 1_000_000;
  const malformed = drawFault(options.malformed) || isMadeToFail(options, identity);
  const refused = drawFault(options.refused);
  const empty = drawFault(options.empty);
  const texts = [request.system, ...request.messages.map(({ content }) => content)];
  const input = texts.reduce((sum, text) => sum + countTokens(text), 0);
  if (options.context !== undefined && input > options.context) {
    throw new ModelError(
      'context-length',
      `The prompt has ${input} tokens, more than the context of the simulated model (context=${options.context}). Set a larger context, or use a shorter history.`,
    );
  }
  const answerWith = (text: string, finish: ModelAnswer['finish']): ModelAnswer => ({
    text,
    finish,
    model: name,
    usage: { input, output: countTokens(text) },
  });
  if (refused) return answerWith('I am sorry, but I cannot help with that.', 'refused');
  if (empty) return answerWith('', 'complete');
  const right = answerStep(request, identity, options);
  if (malformed) return answerWith(spoilAnswer(getAnswerForm(request.step), right, chance), 'complete');
  const limit = request.maxTokens * CHARACTERS_PER_TOKEN;
  return right.length > limit ? answerWith(right.slice(0, limit), 'length') : answerWith(right, 'complete');
}

/** @throws ModelError for an unknown step */
function answerStep(request: ModelRequest, identity: string, options: SimulatedOptions): string {
  const answer = ANSWERS.get(getAnswerForm(request.step));
  if (answer === undefined) {
    throw new ModelError('bad-request', `The simulated model cannot answer the step "${request.step}".`);
  }
  return answer(request, createRandom('answer', identity), options);
}

function countTokens(text: string): number {
  return Math.ceil(text.length / CHARACTERS_PER_TOKEN);
}

function isMadeToFail({ fail }: SimulatedOptions, identity: string): boolean {
  // The identity is JSON, so the text is searched in its JSON form.
  return (
    fail !== undefined && identity.toLowerCase().includes(JSON.stringify(fail).slice(1, -1).toLowerCase())
  );
}

async function waitFor(milliseconds: number, signal: AbortSignal): Promise<void> {
  try {
    await wait(milliseconds, undefined, { signal });
  } catch (error) {
    signal.throwIfAborted();
    throw error;
  }
}

/** The function that answers each step, or another step with the same form of answers. */
export const STEP_ANSWERS: Readonly<
  Partial<Record<Step, (request: ModelRequest, random: Random, options: SimulatedOptions) => string>>
> = {
  describe: answerDescribe,
  factors: answerFactors,
  journey: answerJourney,
  checklist: answerChecklist,
  assistant: answerAssistant,
  user: answerUser,
  summarize: answerSummarize,
  infer: answerInfer,
  choose: answerChoose,
  match: answerMatch,
  respond: answerRespond,
  judge: answerJudge,
  classify: answerClassify,
  express: answerExpress,
  guess: answerGuess,
  contradict: answerContradict,
};

const ANSWERS = new Map(Object.entries(STEP_ANSWERS));
