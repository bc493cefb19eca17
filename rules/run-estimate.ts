import type { Asking, SynthesisSettings } from '../schemas/settings';
import { SYNTHESIS_STEPS, type ModelRole, type SynthesisStep } from '../schemas/step';
import { TYPICAL_OUTPUT } from './estimate';

/** Answered calls, and the tokens they read and wrote. */
export interface Amount {
  readonly calls: number;
  readonly input: number;
  readonly output: number;
}

/** What one step of a whole run is expected to take. */
export interface EstimateRow {
  readonly step: SynthesisStep;
  /** The SPEC of the model that is asked. */
  readonly spec: string;
  readonly low: Amount;
  readonly likely: Amount;
  readonly high: Amount;
}

/** What the size of a run follows from, before anything is asked. */
export interface RunShape {
  readonly settings: SynthesisSettings;
  /** Calls that describe personas, if each is answered well. */
  readonly batches: number;
  /** Characters of each step's prompt, the values that are put in left out. */
  readonly prompts: Readonly<Record<SynthesisStep, number>>;
  /** Characters of the lines that tell the templates of all personas. */
  readonly templates: number;
}

/** The rows of a run that was asked nothing yet, in order of its steps. */
export function estimateRun(shape: RunShape): EstimateRow[] {
  const low = amountsOf(shape, LOW);
  const likely = amountsOf(shape, LIKELY);
  const high = amountsOf(shape, HIGH);
  return SYNTHESIS_STEPS.map((step) => ({
    step,
    spec: shape.settings.models[ROLES[step]],
    low: low[step],
    likely: likely[step],
    high: high[step],
  }));
}

/** How many calls describe the personas of a run: batches never reach over a number it has grown at. */
export function describingCalls(growth: readonly number[], describeBatch: number): number {
  return growth.reduce(
    (calls, personas, at) => calls + Math.ceil((personas - (growth[at - 1] ?? 0)) / describeBatch),
    0,
  );
}

/** Sums of rows. */
export function sumOf(amounts: Iterable<Amount>): Amount {
  let [calls, input, output] = [0, 0, 0];
  for (const amount of amounts) {
    calls += amount.calls;
    input += amount.input;
    output += amount.output;
  }
  return { calls, input, output };
}

const ROLES: Readonly<Record<SynthesisStep, ModelRole>> = {
  describe: 'synthesis',
  factors: 'synthesis',
  journey: 'synthesis',
  checklist: 'synthesis',
  assistant: 'assistant',
  user: 'user',
};

/** What is not known before the first answer. */
interface Assumption {
  /** How often the user judges the assistant before it is satisfied, in the mean. */
  readonly turns: number;
  /** Answers, to what is typical. */
  readonly length: number;
  /** Tokens of a prompt, to a fourth of its characters. */
  readonly tokens: number;
  /** The part of all calls that is asked once more. */
  readonly again: number;
  /** The part of the factors outside the pair that a journey takes up, where it has the sessions for it. */
  readonly factors: number;
}

/**
 * The paper's dialogues have 6.38 turns (3.3), and it does not say of what. Read as messages of the user they leave an assistant's
 * message of six sentences about its length in the 921.5 tokens of a dialogue; read as all messages they are the least.
 */
const TURNS = 6.38;

const LIKELY: Assumption = { turns: TURNS - 1, length: 1, tokens: 1, again: 0.03, factors: 1 };
const LOW: Assumption = { turns: (TURNS - 1) / 2, length: 0.6, tokens: 0.85, again: 0, factors: 0.5 };
const HIGH: Assumption = { turns: (TURNS - 1) * 1.5, length: 1.6, tokens: 1.15, again: 0.1, factors: 1 };

/** Tokens of the pieces that answers are made of and prompts are filled with, where nothing is asked to be longer. */
const PIECES = {
  /** A persona's six sentences, and its factor's name, preference and task types as the journey's prompt lists them. */
  description: TYPICAL_OUTPUT.describe / 4,
  factor: 60,
  factorName: 6,
  /** The paper's means (3.3): tokens of a preference, entries of a checklist of some 14 tokens each. */
  preference: 18.4,
  checklist: 2.9 * 14,
  /** The opening message, its resource included, and those after it: with the assistant's they make up the paper's 921.5. */
  opening: 100,
  message: 28,
  /** A line that tells which session carries which factor of the pair: seven of them. */
  structure: 7 * 15,
  /** The empty sections around the opening message in the user simulator's history. */
  emptySections: 45,
  /** What says why an answer could not be used. */
  correction: 60,
} as const;

function amountsOf(shape: RunShape, assumed: Assumption): Record<SynthesisStep, Amount> {
  const { settings, batches, templates } = shape;
  const { nPersonas, nFactors, nSessions, describeBatch } = settings;
  const long = (tokens: number) => tokens * assumed.length;
  const answer = (step: SynthesisStep, tokens: number) =>
    Math.min(settings.steps[step].maxTokens, long(tokens));
  const prompt = (step: SynthesisStep) => (shape.prompts[step] / 4) * assumed.tokens;
  const description = long(PIECES.description);
  const total = (step: SynthesisStep, calls: number, input: number, output: number) =>
    askedAgain(settings.steps[step], assumed.again, { calls, input: calls * input, output: calls * output });

  return {
    describe: total(
      'describe',
      batches,
      prompt('describe') + (templates / 4 / batches) * assumed.tokens,
      answer('describe', (TYPICAL_OUTPUT.describe / 4) * Math.min(describeBatch, nPersonas)),
    ),
    factors: total(
      'factors',
      nPersonas,
      prompt('factors') + description,
      answer('factors', (TYPICAL_OUTPUT.factors / 8) * nFactors),
    ),
    journey: total(
      'journey',
      nPersonas,
      prompt('journey') + description + long(PIECES.factor) * nFactors + PIECES.structure,
      answer('journey', (TYPICAL_OUTPUT.journey / 13) * nSessions),
    ),
    checklist: total(
      'checklist',
      nPersonas * preferencesOf(settings, assumed.factors),
      prompt('checklist') + long(PIECES.preference),
      answer('checklist', TYPICAL_OUTPUT.checklist),
    ),
    ...dialogues(shape, assumed, { long, answer, prompt }),
  };
}

/** A journey's preferences: the pair's two and the changed one, and one of each other factor that free sessions take up. */
function preferencesOf({ nFactors, nSessions }: SynthesisSettings, part: number): number {
  return 3 + Math.min(nFactors - 2, nSessions - 7) * part;
}

/** Both sides of all dialogues. Each turn satisfies the user with the same probability; what was said is read again each time. */
function dialogues(
  { settings }: RunShape,
  assumed: Assumption,
  {
    long,
    answer,
    prompt,
  }: {
    readonly long: (tokens: number) => number;
    readonly answer: (step: SynthesisStep, tokens: number) => number;
    readonly prompt: (step: SynthesisStep) => number;
  },
): { assistant: Amount; user: Amount } {
  const { nPersonas, nSessions, maxTurns, steps } = settings;
  const said = answer('assistant', TYPICAL_OUTPUT.assistant);
  const judged = answer('user', TYPICAL_OUTPUT.user);
  const opening = long(PIECES.opening);
  const userSystem =
    prompt('user') +
    long(PIECES.description + PIECES.factorName + PIECES.preference + PIECES.checklist) +
    PIECES.emptySections;
  const assistant: Amount[] = [];
  const user: Amount[] = [];
  let open = nPersonas * (nSessions - 1);
  for (let turn = 1; turn <= maxTurns && open > NEGLIGIBLE; turn += 1) {
    const earlier = turn - 1;
    const heard = prompt('assistant') + opening + earlier * (said + long(PIECES.message));
    assistant.push({ calls: open, input: open * heard, output: open * said });
    // Nobody judges the answer to the last message.
    if (turn < maxTurns) {
      const read = userSystem + opening + turn * said + earlier * judged;
      user.push({ calls: open, input: open * read, output: open * judged });
    }
    open *= 1 - 1 / assumed.turns;
  }
  return {
    assistant: askedAgain(steps.assistant, assumed.again, sumOf(assistant)),
    user: askedAgain(steps.user, assumed.again, sumOf(user)),
  };
}

const NEGLIGIBLE = 0.001;

/** With a part of the calls asked once more, which then read the bad answer and what was wrong with it. */
function askedAgain({ asks }: Asking, again: number, { calls, input, output }: Amount): Amount {
  const part = asks > 1 ? again : 0;
  return {
    calls: Math.round(calls * (1 + part)),
    input: Math.round(input * (1 + part) + part * (output + calls * PIECES.correction)),
    output: Math.round(output * (1 + part)),
  };
}
