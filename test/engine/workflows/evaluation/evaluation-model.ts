import type { Model, ModelRequest } from '../../../../models/model';
import type { Cell } from '../../../../schemas/evaluation/evaluation';
import type { Context, HistoryForm } from '../../../../schemas/evaluation/context';
import type { Instance } from '../../../../schemas/dataset/instance';
import { INSTANCE_TYPES } from '../../../../schemas/dataset/instance-type';

/** Builds minimal instances of this many personas, one of each type; the request names persona and type. */
export function buildSmallInstances(personas: number): Instance[] {
  return Array.from({ length: personas }, (_, at) => at + 1).flatMap((persona) =>
    INSTANCE_TYPES.map((type) => ({
      persona_id: `${persona}+baker`,
      instance_type: type,
      current_request: `Request ${persona} ${type}`,
      current_context_factor: 'The bakery',
      current_contextual_preference: `True preference of ${persona} ${type}`,
      current_checklist: [`True entry of ${persona} ${type}`],
      prior_interactions: [
        {
          context_factor: 'The bakery',
          contextual_preference: `True preference of ${persona} ${type}`,
          dialogue: [{ role: 'user' as const, content: 'Hello.' }],
        },
      ],
    })),
  );
}

/** Builds a minimal good answer for each step of evaluation; matchers find everything fully covered. */
export function buildGoodAnswer({ step, values }: ModelRequest): string {
  const request = values['curr_request'] ?? values['user_request'] ?? '';
  if (step === 'summarize') return JSON.stringify({ summaries: [SUMMARY] });
  if (step === 'infer') return `### Analysis\n\nSo.\n\n### Most Likely Preference\n\nInferred for ${request}`;
  if (step === 'decompose') return JSON.stringify({ checklist: [`Entry of ${values['preferences'] ?? ''}`] });
  if (step === 'respond') return `Response to ${request}`;
  if (step === 'judge') return 'Well.\n\n### Evaluation Label\n\nSatisfied\n\n### Evaluation Score\n\n7';
  if (step === 'classify') return JSON.stringify({ explanation: 'So.', type: 'Vagueness' });
  const entries = (values['checklist'] ?? '').split('\n');
  const results = entries.map((_, at) => ({ index: at + 1, label: 'Fully Covered' }));
  return JSON.stringify({ results });
}

const SUMMARY = { session_id: 1, context: ['A bakery.'], preferences: ['A greeting.'] };

/** Creates a model that answers well, unless `before` throws or returns another answer. Also returns all its requests. */
export function createEvaluationModel(
  before: (request: ModelRequest) => Promise<string | void> | string | void = () => undefined,
): { readonly model: Model; readonly requests: ModelRequest[] } {
  const requests: ModelRequest[] = [];
  const model: Model = {
    async ask(request) {
      requests.push(request);
      const text = (await before(request)) ?? buildGoodAnswer(request);
      return { text, finish: 'complete', model: 'test', usage: {} };
    },
  };
  return { model, requests };
}

/** Lists requests that were repeated word for word, which must not happen. */
export function listAskedTwice(requests: readonly ModelRequest[]): string[] {
  const texts = requests.map((request) => JSON.stringify(request));
  return texts.filter((text, at) => texts.indexOf(text) < at);
}

const SELECTION = { limit: null, types: [...INSTANCE_TYPES] };
const MODEL = 'openai-compatible:tested@http://localhost:1/v1';
const EVALUATOR = 'openai-compatible:evaluator@http://localhost:1/v1';

export function buildInferenceCell(context: Context = 'none'): Cell {
  const matcher = { spec: EVALUATOR, form: 'evaluator' as const };
  return { task: 'inference', model: MODEL, context, decomposer: EVALUATOR, matcher, selection: SELECTION };
}

export function buildGenerationCell(judge: string = EVALUATOR, context: HistoryForm = 'none'): Cell {
  return { task: 'generation', model: MODEL, context, judge, selection: SELECTION };
}
