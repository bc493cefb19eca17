import type { Ledger } from '../../schemas/run/ledger';
import { mapValues } from '../../schemas/map-values';
import type { StepSettings } from '../../schemas/run/settings';
import type { SynthesisStep } from '../../schemas/run/step';
import { sum } from '../../schemas/sum';
import {
  estimateDialogueTokens,
  estimatePlanningTokens,
  type Amount,
  type MessagesByTurn,
  type RunShape,
} from './expected-tokens';
import { computeTotals, type LedgerTotals } from './ledger';
import {
  countRemainingCalls,
  increase,
  type OpenDialogues,
  type RemainingCalls,
  type RunAnswers,
} from './run-answers';

/** Likely value, with a lower and an upper bound. */
export interface Band<T> {
  readonly low: T;
  readonly likely: T;
  readonly high: T;
}

/**
 * Estimates the calls and tokens that a run still needs, by step. Lengths of dialogues and answers are those so far, combined with a prior. The
 * more answers there are, the less the prior counts and the narrower the band.
 * @param ledger calls so far
 */
export function expectRemaining(
  shape: RunShape,
  answers: RunAnswers,
  ledger: Ledger,
): Band<Record<SynthesisStep, Amount>> {
  const left = countRemainingCalls(shape.settings, shape.batches, answers);
  const observed = collectObservations(shape, answers, ledger);
  return {
    low: expectAnswers(shape, left, observed, -1),
    likely: expectAnswers(shape, left, observed, 0),
    high: expectAnswers(shape, left, observed, 1),
  };
}

const PRIOR = {
  /**
   * Judgments per dialogue. In the published data, a prior session has 2.90 messages of the assistant. It has 3.89 of the user, the first of
   * which is not the simulator's.
   */
  judgements: 2.9,
  /** Share of all calls that is repaired, expected and at most. */
  repairs: 0.03,
  mostRepairs: 0.1,
  /** Relative errors of the estimated tokens of answers and prompts. */
  outputError: 0.6,
  inputError: 0.3,
} as const;

/** Number of observations that the prior weighs as much as. */
const WEIGHT = { dialogues: 16, turn: 8, answers: 10, calls: 100 } as const;

/** Statistics of the answers so far, from which the remaining ones are estimated. */
interface Observations {
  /** By turn: judgments, and those among them that were satisfied and ended their dialogue. */
  readonly judged: readonly number[];
  readonly satisfied: readonly number[];
  /** Bad answers, and all calls. */
  readonly badAnswers: number;
  readonly calls: number;
  readonly tokens: Readonly<Record<SynthesisStep, TokenRatios>>;
}

function collectObservations(shape: RunShape, { personas }: RunAnswers, ledger: Ledger): Observations {
  const satisfied: number[] = [];
  const turnCounts = { assistant: [] as number[], user: [] as number[] };
  for (const { dialogues } of personas.values()) {
    for (const { assistant, user, ended } of dialogues) {
      // If the assistant has more messages, the dialogue reached the turn limit or stalled.
      if (ended && user > 0 && user >= assistant) increase(satisfied, user - 1, 1);
      for (let turn = 0; turn < assistant; turn += 1) increase(turnCounts.assistant, turn, 1);
      for (let turn = 0; turn < user; turn += 1) increase(turnCounts.user, turn, 1);
    }
  }
  const singleCalls = { describe: 1, factors: 1, journey: 1, checklist: 1 };
  const expected: Record<SynthesisStep, Amount> = {
    ...estimatePlanningTokens(shape, singleCalls),
    ...estimateDialogueTokens(shape, turnCounts),
  };
  const tokens = mapValues(expected, (amount, step) =>
    compareTokens(computeTotals(ledger.filter((row) => row.step === step)), amount),
  );
  const { badAnswers, calls } = computeTotals(ledger);
  return { judged: turnCounts.user, satisfied, badAnswers, calls, tokens };
}

/**
 * Estimates the remaining calls and their tokens.
 * @param sign -1 for the lower bound, 1 for the upper bound, 0 for the likely value
 */
function expectAnswers(
  shape: RunShape,
  left: RemainingCalls,
  observed: Observations,
  sign: -1 | 0 | 1,
): Record<SynthesisStep, Amount> {
  const { maxTurns } = shape.settings;
  const dialogueTurns = estimateDialogueTurns(
    left.open,
    estimateSatisfaction(left.open, observed, maxTurns, sign),
    maxTurns,
  );
  const amounts: Record<SynthesisStep, Amount> = {
    ...estimatePlanningTokens(shape, { ...left, checklist: left.checklist * (sign < 0 ? 0.7 : 1) }),
    ...estimateDialogueTokens(shape, dialogueTurns),
  };
  const repairs = estimateRepairs(observed, sign);
  return mapValues(amounts, (amount, step) =>
    boundAmount(amount, observed.tokens[step], repairs, shape.settings.steps[step], sign),
  );
}

/**
 * Estimates how many calls of one step and model this many become, and their tokens, from those that are answered.
 * @param left calls if each is answered well
 * @param certain how many of them no answer can make needless
 * @param answered the same of answered calls
 * @param ledger what calls of the step and model have used
 */
export function expectCalls(
  left: Amount,
  certain: number,
  answered: Amount,
  step: Pick<StepSettings, 'maxRepairs' | 'maxTokens'>,
  ledger: Ledger,
): Band<Amount> {
  const totals = computeTotals(ledger);
  const ratios = compareTokens(totals, answered);
  const computeBound = (sign: -1 | 0 | 1, amount = left) =>
    boundAmount(amount, ratios, estimateRepairs(totals, sign), step, sign);
  const part = left.calls === 0 ? 0 : certain / left.calls;
  const certainAmount = { calls: certain, input: left.input * part, output: left.output * part };
  return { low: computeBound(-1, certainAmount), likely: computeBound(0), high: computeBound(1) };
}

/** Actual tokens of a call divided by the expected ones, over `count` calls. */
interface TokenRatios {
  readonly count: number;
  readonly input: number;
  readonly output: number;
}

/** Compares the tokens that calls have used with the expected ones. */
function compareTokens(totals: LedgerTotals, { calls, input, output }: Amount): TokenRatios {
  const count = totals.calls - totals.uncountedCalls;
  if (count <= 0 || calls === 0 || input === 0 || output === 0) return { count: 0, input: 1, output: 1 };
  return {
    count,
    input: totals.input / count / (input / calls),
    output: totals.output / count / (output / calls),
  };
}

/**
 * Corrects expected calls and tokens by those of answered calls, and adds repairs.
 * @param repairs share of the calls that is repaired
 */
function boundAmount(
  { calls, input, output }: Amount,
  ratios: TokenRatios,
  repairs: number,
  { maxRepairs, maxTokens }: Pick<StepSettings, 'maxRepairs' | 'maxTokens'>,
  sign: -1 | 0 | 1,
): Amount {
  const knownShare = ratios.count / (ratios.count + WEIGHT.answers);
  const times = (ratio: number, error: number) =>
    (1 + knownShare * (ratio - 1)) * (1 + error * Math.sqrt(1 - knownShare)) ** sign;
  return scaleAmount(maxRepairs > 0 ? repairs : 0, {
    calls,
    input: input * times(ratios.input, PRIOR.inputError),
    output: Math.min(calls * maxTokens, output * times(ratios.output, PRIOR.outputError)),
  });
}

/**
 * Returns for each turn the probability that a judgment ends its dialogue: the share of judgments that did so far. It differs between turns, and
 * open dialogues have only had early ones, so one probability for all turns would make them too long.
 */
function estimateSatisfaction(
  { atAssistant, atUser }: OpenDialogues,
  { satisfied, judged }: Observations,
  maxTurns: number,
  sign: -1 | 0 | 1,
): number[] {
  // Two standard errors: of the estimate so far, and of the variation among the remaining dialogues.
  const open = sum(atAssistant) + sum(atUser);
  const error = 2 * Math.sqrt(1 / (WEIGHT.dialogues + sum(satisfied)) + 1 / Math.max(1, open));
  return Array.from({ length: maxTurns }, (_, turn) => {
    const endedCount = (satisfied[turn] ?? 0) + WEIGHT.turn / PRIOR.judgements;
    const likely = endedCount / ((judged[turn] ?? 0) + WEIGHT.turn);
    return Math.min(1, likely / (1 + error) ** sign);
  });
}

function estimateRepairs(
  { badAnswers, calls }: Pick<Observations, 'badAnswers' | 'calls'>,
  sign: -1 | 0 | 1,
): number {
  const prior = [0, PRIOR.repairs, PRIOR.mostRepairs][sign + 1] ?? PRIOR.repairs;
  return (badAnswers + prior * WEIGHT.calls) / (Math.max(1, calls - badAnswers) + WEIGHT.calls);
}

/** Estimates the messages of each side by turn, from the current state of the dialogues. */
function estimateDialogueTurns(
  { atAssistant, atUser }: OpenDialogues,
  satisfaction: readonly number[],
  maxTurns: number,
): MessagesByTurn {
  const assistant: number[] = [];
  const user: number[] = [];
  let open = 0;
  for (let turn = 0; turn < maxTurns; turn += 1) {
    const answered = open + (atAssistant[turn] ?? 0);
    assistant.push(answered);
    // The answer to the user's last message is not judged.
    if (turn === maxTurns - 1) break;
    const judgedCount = answered + (atUser[turn] ?? 0);
    user.push(judgedCount);
    open = judgedCount * (1 - (satisfaction[turn] ?? 0));
  }
  return { assistant, user };
}

/** Tokens of the reason why an answer could not be used. */
const CORRECTION = 60;

/** Adds repairs, for this share of the calls. A repair also reads the bad answer and the reason. */
function scaleAmount(part: number, { calls, input, output }: Amount): Amount {
  return {
    calls: Math.round(calls * (1 + part)),
    input: Math.round(input * (1 + part) + part * (output + calls * CORRECTION)),
    output: Math.round(output * (1 + part)),
  };
}
