// Workflows read these constants, so this module does not import zod.
import { mapValues } from '../map-values';

/** Steps of synthesis that call a model, named as in journal keys, settings and reports. */
export const SYNTHESIS_STEPS = ['describe', 'factors', 'journey', 'checklist', 'assistant', 'user'] as const;

/** Steps of evaluation that call a model (paper, 2.3 and A); the last ones belong to verification only (paper, 3.2 and E). */
export const EVALUATION_STEPS = [
  'summarize',
  'recall',
  'infer',
  'choose',
  'decompose',
  'match',
  'respond',
  'judge',
  'classify',
  'express',
  'guess',
  'contradict',
] as const;

/** Facts of an evaluation step, besides its request. */
interface EvaluationStepFacts {
  /** The work that its calls ask for, after *refused*, in messages. */
  readonly task: string;
  /** Maximum tokens of its visible text: the reference program's, unless a settings file sets others. */
  readonly maxTokens: number;
  /** Number of samples before its answer counts as missing. */
  readonly samples: number;
  /** Tokens of a typical answer, for estimates. */
  readonly typicalOutput: number;
}

/** Facts of the steps that use the prompt of the step `checklist`. Their answers have its form, and are checked like its answers. */
export const CHECKLIST_STEP_FACTS = {
  decompose: { task: 'to make a checklist', maxTokens: 4096, samples: 2, typicalOutput: 200 },
} satisfies Partial<Record<EvaluationStep, EvaluationStepFacts>>;
export type ChecklistStep = keyof typeof CHECKLIST_STEP_FACTS;

/** Facts of the steps for settings, estimates and repairs. A new step needs nothing else there. */
export const EVALUATION_STEP_FACTS: Readonly<Record<EvaluationStep, EvaluationStepFacts>> = {
  // Eight sessions, analyzed and summarized.
  summarize: { task: 'to summarize the sessions', maxTokens: 8192, samples: 2, typicalOutput: 1_200 },
  // A memory system answers, which has a limit of its own.
  recall: { task: 'to recall the sessions', maxTokens: 8192, samples: 1, typicalOutput: 0 },
  // An analysis of eight sessions, then one sentence.
  infer: { task: 'to infer the preference', maxTokens: 8192, samples: 2, typicalOutput: 400 },
  // A heading and a letter; a model that was not asked to explains its choice before them.
  choose: { task: 'to choose a preference', maxTokens: 4096, samples: 2, typicalOutput: 10 },
  ...CHECKLIST_STEP_FACTS,
  // About three entries, each with its reasoning.
  match: { task: 'to match a checklist with a preference', maxTokens: 8192, samples: 2, typicalOutput: 250 },
  // A new sample is started only when the answer is empty.
  respond: { task: 'to answer the request', maxTokens: 8192, samples: 1, typicalOutput: 600 },
  judge: { task: 'to judge a response', maxTokens: 8192, samples: 2, typicalOutput: 400 },
  classify: {
    task: 'to classify the error of an inference',
    maxTokens: 2048,
    samples: 2,
    typicalOutput: 200,
  },
  // About nine items, each with quotations.
  express: {
    task: 'to find where the user expresses a preference',
    maxTokens: 4096,
    samples: 2,
    typicalOutput: 900,
  },
  guess: { task: 'to say what a request reveals', maxTokens: 2048, samples: 2, typicalOutput: 80 },
  contradict: { task: 'to compare two preferences', maxTokens: 2048, samples: 2, typicalOutput: 180 },
};

export const STEPS = [...SYNTHESIS_STEPS, ...EVALUATION_STEPS] as const;
export type Step = (typeof STEPS)[number];

/** Purpose of a call in the ledger: a step, or the check of its model before the run started. */
export const LEDGER_STEPS = ['check', ...STEPS] as const;
export type SynthesisStep = (typeof SYNTHESIS_STEPS)[number];
export type EvaluationStep = (typeof EVALUATION_STEPS)[number];

/** The work that the calls of a step of synthesis ask for, after *refused*, in messages. */
const SYNTHESIS_TASKS: Readonly<Record<SynthesisStep, string>> = {
  describe: 'to describe personas',
  factors: 'to write the preferences of a persona',
  journey: 'to plan the sessions of a persona',
  checklist: 'to make a checklist',
  assistant: 'to answer the user of a dialogue',
  user: 'to play the user of a dialogue',
};

/** Describes the work that the calls of a step ask for, as in *refused to judge a response*. */
export function describeTask(step: Step): string {
  const tasks = { ...SYNTHESIS_TASKS, ...mapValues(EVALUATION_STEP_FACTS, ({ task }) => task) };
  return tasks[step];
}

/** Returns the step whose answers have the same form: `checklist` for steps with its prompt, otherwise itself. */
export function getAnswerForm(step: string): string {
  return Object.hasOwn(CHECKLIST_STEP_FACTS, step) ? 'checklist' : step;
}
