// Workflows read these constants, so this module does not import zod.

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

export const STEPS = [...SYNTHESIS_STEPS, ...EVALUATION_STEPS] as const;
export type Step = (typeof STEPS)[number];
export type SynthesisStep = (typeof SYNTHESIS_STEPS)[number];
export type EvaluationStep = (typeof EVALUATION_STEPS)[number];

/** Facts of a step, besides its request. A settings file may set other temperatures, maximum tokens and numbers of samples. */
export interface StepFacts {
  /** The work that its calls ask for, as in *refused to judge a response*. */
  readonly task: string;
  readonly temperature: number;
  /** Maximum tokens of its visible text. */
  readonly maxTokens: number;
  /** Maximum number of samples before its answer counts as missing, or its persona fails. */
  readonly maxSamples: number;
  /** Tokens of a typical answer, estimated from what it is asked to contain. A run's own answers correct this first guess. */
  readonly typicalOutput: number;
}

/** Facts of the steps that use the prompt of the step `checklist`. Their answers have its form, and are checked like its answers. */
export const CHECKLIST_STEP_FACTS = {
  decompose: {
    task: 'to make a checklist',
    temperature: 0,
    maxTokens: 4096,
    maxSamples: 2,
    typicalOutput: 200,
  },
} satisfies Partial<Record<EvaluationStep, StepFacts>>;
export type ChecklistStep = keyof typeof CHECKLIST_STEP_FACTS;

/** Facts of the steps of synthesis. Parameters are the reference program's, like those below (the paper has 0.7 for factors). */
export const SYNTHESIS_STEP_FACTS: Readonly<Record<SynthesisStep, StepFacts>> = {
  // Four personas, six sentences each.
  describe: {
    task: 'to describe personas',
    temperature: 0.7,
    maxTokens: 4096,
    maxSamples: 2,
    typicalOutput: 900,
  },
  // Eight factors of eight fields.
  factors: {
    task: 'to write the preferences of a persona',
    temperature: 1,
    maxTokens: 8192,
    maxSamples: 2,
    typicalOutput: 1_400,
  },
  // Thirteen sessions, each with a story, two requests and often a resource.
  journey: {
    task: 'to plan the sessions of a persona',
    temperature: 0.7,
    maxTokens: 8192,
    maxSamples: 2,
    typicalOutput: 4_500,
  },
  // Reasoning, then about three entries (2.90 in the paper).
  checklist: CHECKLIST_STEP_FACTS.decompose,
  // Six sections, of which the message is the shortest.
  user: {
    task: 'to play the user of a dialogue',
    temperature: 0.3,
    maxTokens: 8192,
    maxSamples: 2,
    typicalOutput: 260,
  },
  assistant: {
    task: 'to answer the user of a dialogue',
    temperature: 0.7,
    maxTokens: 2048,
    maxSamples: 2,
    typicalOutput: 125,
  },
};

/** Facts of the steps of evaluation and verification. */
export const EVALUATION_STEP_FACTS: Readonly<Record<EvaluationStep, StepFacts>> = {
  // Eight sessions, analyzed and summarized.
  summarize: {
    task: 'to summarize the sessions',
    temperature: 0,
    maxTokens: 8192,
    maxSamples: 2,
    typicalOutput: 1_200,
  },
  // A memory system answers, which has a limit of its own.
  recall: {
    task: 'to recall the sessions',
    temperature: 0,
    maxTokens: 8192,
    maxSamples: 1,
    typicalOutput: 0,
  },
  // An analysis of eight sessions, then one sentence.
  infer: {
    task: 'to infer the preference',
    temperature: 0,
    maxTokens: 8192,
    maxSamples: 2,
    typicalOutput: 400,
  },
  // A heading and a letter; a model that was not asked to explains its choice before them.
  choose: {
    task: 'to choose a preference',
    temperature: 0,
    maxTokens: 4096,
    maxSamples: 2,
    typicalOutput: 10,
  },
  ...CHECKLIST_STEP_FACTS,
  // About three entries, each with its reasoning.
  match: {
    task: 'to match a checklist with a preference',
    temperature: 0,
    maxTokens: 8192,
    maxSamples: 2,
    typicalOutput: 250,
  },
  // A new sample is started only when the answer is empty.
  respond: {
    task: 'to answer the request',
    temperature: 0,
    maxTokens: 8192,
    maxSamples: 1,
    typicalOutput: 600,
  },
  judge: { task: 'to judge a response', temperature: 0, maxTokens: 8192, maxSamples: 2, typicalOutput: 400 },
  classify: {
    task: 'to classify the error of an inference',
    temperature: 0,
    maxTokens: 2048,
    maxSamples: 2,
    typicalOutput: 200,
  },
  // About nine items, each with quotations.
  express: {
    task: 'to find where the user expresses a preference',
    temperature: 0,
    maxTokens: 4096,
    maxSamples: 2,
    typicalOutput: 900,
  },
  guess: {
    task: 'to say what a request reveals',
    temperature: 0,
    maxTokens: 2048,
    maxSamples: 2,
    typicalOutput: 80,
  },
  contradict: {
    task: 'to compare two preferences',
    temperature: 0,
    maxTokens: 2048,
    maxSamples: 2,
    typicalOutput: 180,
  },
};

/** Facts of all steps for settings, estimates and repairs. A new step needs nothing else there. */
export const STEP_FACTS: Readonly<Record<Step, StepFacts>> = {
  ...SYNTHESIS_STEP_FACTS,
  ...EVALUATION_STEP_FACTS,
};

/** Formats the number of a call of a persona's plan after the name of its step: ` 2` for a checklist, ` part 2` for a journey; empty for one call. */
export function formatCallNumber(step: string, turn: number | string): string {
  if (step === 'checklist') return ` ${turn}`;
  return step === 'journey' && Number(turn) > 0 ? ` part ${turn}` : '';
}

/** Purpose of a call in the ledger: a step, or the check of its model before the run started. */
export const LEDGER_STEPS = ['check', ...STEPS] as const;

/** Returns the step whose answers have the same form: `checklist` for steps with its prompt, otherwise itself. */
export function getAnswerForm(step: string): string {
  return Object.hasOwn(CHECKLIST_STEP_FACTS, step) ? 'checklist' : step;
}
