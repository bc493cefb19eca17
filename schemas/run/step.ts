// Workflows read these constants, so this module imports no zod.

/** The steps of synthesis that call a model, by their names in journal keys, settings and reports. */
export const SYNTHESIS_STEPS = ['describe', 'factors', 'journey', 'checklist', 'assistant', 'user'] as const;

/** The steps of evaluation that ask a model (paper, 2.3 and A), and last those that only verification has (paper, 3.2 and E). */
export const EVALUATION_STEPS = [
  'summarize',
  'infer',
  'decompose',
  'match',
  'respond',
  'judge',
  'classify',
  'express',
  'guess',
  'contradict',
] as const;

/** What an evaluation step is, besides what it asks. */
interface EvaluationStepFacts {
  /** The most tokens of its visible text: the reference program's, unless a settings file says otherwise. */
  readonly maxTokens: number;
  /** How many samples are started before its answer is missing. */
  readonly samples: number;
  /** Tokens of a typical answer, for estimates. */
  readonly typicalOutput: number;
  /** Another step whose prompt it shares, and so the form of its answers. */
  readonly form?: Step;
}

/** All that a new step has to say to settings, estimates and repairs. */
export const EVALUATION_STEP_FACTS: Readonly<Record<EvaluationStep, EvaluationStepFacts>> = {
  // Eight sessions, analyzed and summarized.
  summarize: { maxTokens: 8192, samples: 2, typicalOutput: 1_200 },
  // An analysis of eight sessions, then one sentence.
  infer: { maxTokens: 8192, samples: 2, typicalOutput: 400 },
  decompose: {
    maxTokens: 4096,
    samples: 2,
    typicalOutput: 200,
    form: 'checklist',
  },
  // About three entries, each with its reasoning.
  match: {
    maxTokens: 8192,
    samples: 2,
    typicalOutput: 250,
  },
  // A new sample is started only when the answer is empty.
  respond: { maxTokens: 8192, samples: 1, typicalOutput: 600 },
  judge: { maxTokens: 8192, samples: 2, typicalOutput: 400 },
  classify: { maxTokens: 2048, samples: 2, typicalOutput: 200 },
  // About nine items, each with quotations.
  express: { maxTokens: 4096, samples: 2, typicalOutput: 900 },
  guess: { maxTokens: 2048, samples: 2, typicalOutput: 80 },
  contradict: { maxTokens: 2048, samples: 2, typicalOutput: 180 },
};

export const STEPS = [...SYNTHESIS_STEPS, ...EVALUATION_STEPS] as const;
export type Step = (typeof STEPS)[number];

/** What a call in the ledger was for: a step, or the check of its model before the run started. */
export const LEDGER_STEPS = ['check', ...STEPS] as const;
export type SynthesisStep = (typeof SYNTHESIS_STEPS)[number];
export type EvaluationStep = (typeof EVALUATION_STEPS)[number];

/** The three parts models play in synthesis (paper, B): each may be another model. */
export const MODEL_ROLES = ['synthesis', 'user', 'assistant'] as const;
export type ModelRole = (typeof MODEL_ROLES)[number];

/** Returns the step whose answers have the form of this step's: itself, unless it shares another's prompt. */
export function getAnswerForm(step: string): string {
  const known = EVALUATION_STEPS.find((name) => name === step);
  return known === undefined ? step : (EVALUATION_STEP_FACTS[known].form ?? step);
}
