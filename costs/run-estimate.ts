import type { Ledger } from '../schemas/ledger';
import type { SynthesisSettings } from '../schemas/settings';
import { SYNTHESIS_STEPS, type SynthesisStep } from '../schemas/step';
import { TYPICAL_OUTPUT } from './call-estimate';
import { totalsOf, type LedgerTotals } from './ledger';
import { ROLE_OF } from '../model-facts/roles';
import type { PersonaAnswers, RunAnswers } from './run-answers';

/** Answered calls, and the tokens they read and wrote. */
export interface Amount {
  readonly calls: number;
  readonly input: number;
  readonly output: number;
}

export interface Band<T> {
  readonly low: T;
  readonly likely: T;
  readonly high: T;
}

/** What one step of a run took of one model, and what it is still expected to take. */
export interface EstimateRow {
  readonly step: SynthesisStep;
  /** The SPEC of the model that is asked. */
  readonly spec: string;
  /** Tokens that were assumed included: they are charged too. */
  readonly spent: Amount;
  readonly left: Band<Amount>;
}

/** What the size of a run follows from, before anything is asked. */
export interface RunShape {
  readonly settings: SynthesisSettings;
  /** Calls that describe personas, if each is answered well. */
  readonly batches: number;
  /** Characters of each step's prompt, the values that are put in left out. */
  readonly prompts: Readonly<Record<SynthesisStep, number>>;
  /** Characters of the lines that describe the templates of all personas. */
  readonly templates: number;
}

/**
 * The one projection of a synthesis run: what is left to ask follows from how far each persona and each dialogue is. How long dialogues
 * and answers are is taken from what was answered so far, together with what was expected before: the more answers there
 * are, the less the expectation counts, and the narrower the band is.
 * @param ledger what was spent
 */
export function estimateRun(shape: RunShape, answers: RunAnswers, ledger: Ledger): EstimateRow[] {
  const left = remainingCalls(shape, answers);
  const observed = observationsOf(shape, answers, ledger);
  const bounds = {
    low: expectAnswers(shape, left, observed, -1),
    likely: expectAnswers(shape, left, observed, 0),
    high: expectAnswers(shape, left, observed, 1),
  };
  const { models } = shape.settings;
  const rows = SYNTHESIS_STEPS.map((step): EstimateRow => {
    const spec = models[ROLE_OF[step]];
    const own = ledger.filter((row) => row.step === step && row.spec === spec);
    return {
      step,
      spec,
      spent: amountOf(totalsOf(own)),
      left: { low: bounds.low[step], likely: bounds.likely[step], high: bounds.high[step] },
    };
  });
  return [...rows, ...otherModels(rows, ledger)];
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

/** Calls of a run, if each is answered well. */
interface Calls {
  readonly describe: number;
  readonly factors: number;
  readonly journey: number;
  readonly checklist: number;
  /** Dialogues of which nobody knows yet how long they will be, by how far they are. */
  readonly open: OpenDialogues;
}

interface OpenDialogues {
  /** By the number of turns they have had; the next message is the assistant's. */
  readonly atAssistant: readonly number[];
  /** The same; the assistant's message is there, the next one is the user's. */
  readonly atUser: readonly number[];
}

function remainingCalls({ settings, batches }: RunShape, { descriptions, personas }: RunAnswers): Calls {
  const { nPersonas, nSessions } = settings;
  const all = [...personas.values()];
  const open = all.filter(({ closed }) => !closed);
  const untouched = Math.max(0, nPersonas - all.length);
  const preferences = preferencesOf(settings);
  const atAssistant = [untouched * (nSessions - 1)];
  const atUser: number[] = [];
  for (const { dialogues } of open) {
    increase(atAssistant, 0, Math.max(0, nSessions - 1 - dialogues.length));
    for (const { assistant, user, ended } of dialogues) {
      if (!ended) increase(assistant > user ? atUser : atAssistant, user, 1);
    }
  }
  return {
    describe: Math.max(0, batches - descriptions),
    factors: untouched + open.filter(({ factors }) => !factors).length,
    journey: untouched + open.filter(({ journey }) => !journey).length,
    checklist: untouched * preferences + sum(open.map((persona) => checklistsLeft(persona, preferences))),
    open: { atAssistant, atUser },
  };
}

function increase(counts: number[], at: number, by: number): void {
  while (counts.length <= at) counts.push(0);
  counts[at] = (counts[at] ?? 0) + by;
}

function checklistsLeft({ checklists, dialogues }: PersonaAnswers, preferences: number): number {
  // Dialogues begin once all preferences have their checklists.
  return dialogues.length > 0 ? 0 : Math.max(0, preferences - checklists);
}

/** A journey's preferences: the pair's two and the changed one, and one of each other factor that free sessions take up. */
function preferencesOf({ nFactors, nSessions }: SynthesisSettings): number {
  return 3 + Math.min(nFactors - 2, nSessions - 7);
}

/** What was expected before the first answer. */
const PRIOR = {
  /**
   * Judgements a dialogue takes. In the published data a prior session has 3.89 messages of the user, of which the first is not the
   * simulator's, and 2.90 of the assistant.
   */
  judgements: 2.9,
  /** The part of all calls that is asked once more, at most. */
  repairs: 0.03,
  mostRepairs: 0.1,
  /** By what part answers, and the tokens of prompts, may differ from what is expected of them. */
  outputError: 0.6,
  inputError: 0.3,
} as const;

/** How many observations an expectation counts as much as. */
const WEIGHT = { dialogues: 16, turn: 8, answers: 10, calls: 100 } as const;

/** What the answers so far say about those that are left. */
interface Observations {
  /** By turn, how many judgements there were, and how many of them were satisfied and ended their dialogue. */
  readonly judged: readonly number[];
  readonly satisfied: readonly number[];
  /** Calls that were answered badly, and all. */
  readonly bad: number;
  readonly calls: number;
  /** By step, tokens of a call to those that were expected of it; over so many calls. */
  readonly tokens: Readonly<
    Record<SynthesisStep, { readonly count: number; readonly input: number; readonly output: number }>
  >;
}

function observationsOf(shape: RunShape, { personas }: RunAnswers, ledger: Ledger): Observations {
  const satisfied: number[] = [];
  const asked = { assistant: [] as number[], user: [] as number[] };
  for (const { dialogues } of personas.values()) {
    for (const { assistant, user, ended } of dialogues) {
      // One that ended with a message of the assistant reached the turn limit.
      if (ended && user > 0 && user >= assistant) increase(satisfied, user - 1, 1);
      for (let turn = 0; turn < assistant; turn += 1) increase(asked.assistant, turn, 1);
      for (let turn = 0; turn < user; turn += 1) increase(asked.user, turn, 1);
    }
  }
  const one = { describe: 1, factors: 1, journey: 1, checklist: 1 };
  const expected: Record<SynthesisStep, Amount> = {
    ...planningTokens(shape, one),
    ...dialogueTokens(shape, asked, TYPICAL),
  };
  const tokens = (step: SynthesisStep) => {
    const spent = totalsOf(ledger.filter((row) => row.step === step));
    const count = spent.calls - spent.uncounted;
    const { calls, input, output } = expected[step];
    if (count <= 0 || calls === 0) return { count: 0, input: 1, output: 1 };
    return {
      count,
      input: spent.input / count / (input / calls),
      output: spent.output / count / (output / calls),
    };
  };
  const { bad, calls } = totalsOf(ledger);
  return {
    judged: asked.user,
    satisfied,
    bad,
    calls,
    tokens: {
      describe: tokens('describe'),
      factors: tokens('factors'),
      journey: tokens('journey'),
      checklist: tokens('checklist'),
      assistant: tokens('assistant'),
      user: tokens('user'),
    },
  };
}

/** What the calls that are left will take. @param sign of the bound: -1 for the lower, 1 for the upper, 0 for what is likely */
function expectAnswers(
  shape: RunShape,
  left: Calls,
  observed: Observations,
  sign: -1 | 0 | 1,
): Record<SynthesisStep, Amount> {
  const { maxTurns } = shape.settings;
  const asked = dialogueTurns(left.open, satisfactionOf(left.open, observed, maxTurns, sign), maxTurns);
  const amounts = {
    ...planningTokens(shape, { ...left, checklist: left.checklist * (sign < 0 ? 0.7 : 1) }),
    ...dialogueTokens(shape, asked, TYPICAL),
  };
  const repairs = repairsOf(observed, sign);
  const scaled = (step: SynthesisStep): Amount => {
    const { count, input, output } = observed.tokens[step];
    const known = count / (count + WEIGHT.answers);
    const times = (ratio: number, error: number) =>
      (1 + known * (ratio - 1)) * (1 + error * Math.sqrt(1 - known)) ** sign;
    const { asks, maxTokens } = shape.settings.steps[step];
    const { calls, ...tokens } = amounts[step];
    return askedAgain(asks > 1 ? repairs : 0, {
      calls,
      input: tokens.input * times(input, PRIOR.inputError),
      output: Math.min(calls * maxTokens, tokens.output * times(output, PRIOR.outputError)),
    });
  };
  return {
    describe: scaled('describe'),
    factors: scaled('factors'),
    journey: scaled('journey'),
    checklist: scaled('checklist'),
    assistant: scaled('assistant'),
    user: scaled('user'),
  };
}

/**
 * The probability that a judgement ends its dialogue, by turn: of those that came so far, the part that did. It differs between turns, and
 * dialogues that are still open have had early ones only, so one probability for all turns would make them too long.
 */
function satisfactionOf(
  { atAssistant, atUser }: OpenDialogues,
  { satisfied, judged }: Observations,
  maxTurns: number,
  sign: -1 | 0 | 1,
): number[] {
  // Two standard errors: of what is known so far, and of what the dialogues that are left will differ by.
  const open = sum(atAssistant) + sum(atUser);
  const error = 2 * Math.sqrt(1 / (WEIGHT.dialogues + sum(satisfied)) + 1 / Math.max(1, open));
  return Array.from({ length: maxTurns }, (_, turn) => {
    const ended = (satisfied[turn] ?? 0) + WEIGHT.turn / PRIOR.judgements;
    const likely = ended / ((judged[turn] ?? 0) + WEIGHT.turn);
    return Math.min(1, likely / (1 + error) ** sign);
  });
}

function repairsOf({ bad, calls }: Observations, sign: -1 | 0 | 1): number {
  const prior = [0, PRIOR.repairs, PRIOR.mostRepairs][sign + 1] ?? PRIOR.repairs;
  return (bad + prior * WEIGHT.calls) / (Math.max(1, calls - bad) + WEIGHT.calls);
}

/** Messages by turn of each side, from where dialogues stand. */
function dialogueTurns(
  { atAssistant, atUser }: OpenDialogues,
  satisfaction: readonly number[],
  maxTurns: number,
): { assistant: number[]; user: number[] } {
  const assistant: number[] = [];
  const user: number[] = [];
  let open = 0;
  for (let turn = 0; turn < maxTurns; turn += 1) {
    const answered = open + (atAssistant[turn] ?? 0);
    assistant.push(answered);
    // Nobody judges the answer to the last message.
    if (turn === maxTurns - 1) break;
    const judged = answered + (atUser[turn] ?? 0);
    user.push(judged);
    open = judged * (1 - (satisfaction[turn] ?? 0));
  }
  return { assistant, user };
}

/** Tokens of the pieces that answers are made of and prompts are filled with, where nothing is asked to be longer. */
const PIECES = {
  /** A persona's six sentences, and its factor's name, preference and task types as the journey's prompt lists them. */
  description: TYPICAL_OUTPUT.describe / 4,
  factor: 60,
  factorName: 6,
  /** The paper's means (3.3): tokens of a preference, entries of a checklist of some 14 tokens each. */
  preference: 18.4,
  checklist: 2.9 * 14,
  /** The opening message, including its resource, and each of the user's later messages. */
  opening: 100,
  message: 28,
  /** A line that says which session carries which factor of the pair: seven of them. */
  structure: 7 * 15,
  /** The empty sections around the opening message in the user simulator's history. */
  emptySections: 45,
  /** What says why an answer could not be used. */
  correction: 60,
} as const;

type PlanningStep = Exclude<SynthesisStep, 'assistant' | 'user'>;

/** Tokens of so many calls of the steps before the dialogues. */
function planningTokens(
  { settings, batches, prompts, templates }: RunShape,
  calls: Readonly<Record<PlanningStep, number>>,
): Record<PlanningStep, Amount> {
  const { nPersonas, nFactors, nSessions, describeBatch } = settings;
  const total = (step: PlanningStep, values: number, output: number): Amount => ({
    calls: calls[step],
    input: calls[step] * (prompts[step] / 4 + values),
    output: calls[step] * output,
  });
  return {
    describe: total(
      'describe',
      templates / 4 / batches,
      (TYPICAL_OUTPUT.describe / 4) * Math.min(describeBatch, nPersonas),
    ),
    factors: total('factors', PIECES.description, (TYPICAL_OUTPUT.factors / 8) * nFactors),
    journey: total(
      'journey',
      PIECES.description + PIECES.factor * nFactors + PIECES.structure,
      (TYPICAL_OUTPUT.journey / 13) * nSessions,
    ),
    checklist: total('checklist', PIECES.preference, TYPICAL_OUTPUT.checklist),
  };
}

/** How many tokens a message of each side is expected to have. */
const TYPICAL = { assistant: TYPICAL_OUTPUT.assistant, user: TYPICAL_OUTPUT.user } as const;

/** Tokens of so many messages by turn: what was said before is read again at each of them. */
function dialogueTokens(
  { prompts }: RunShape,
  asked: { readonly assistant: readonly number[]; readonly user: readonly number[] },
  typical: { readonly assistant: number; readonly user: number },
): { assistant: Amount; user: Amount } {
  const userSystem =
    prompts.user / 4 +
    PIECES.description +
    PIECES.factorName +
    PIECES.preference +
    PIECES.checklist +
    PIECES.emptySections;
  const heard = (earlier: number) =>
    prompts.assistant / 4 + PIECES.opening + earlier * (typical.assistant + PIECES.message);
  const read = (earlier: number) =>
    userSystem + PIECES.opening + (earlier + 1) * typical.assistant + earlier * typical.user;
  return {
    assistant: turnTokens(asked.assistant, heard, typical.assistant),
    user: turnTokens(asked.user, read, typical.user),
  };
}

/** @param counts messages by turn @param input tokens that one reads after so many earlier turns */
function turnTokens(counts: readonly number[], input: (earlier: number) => number, output: number): Amount {
  return {
    calls: sum(counts),
    input: sum(counts.map((count, earlier) => count * input(earlier))),
    output: sum(counts) * output,
  };
}

/** With a part of the calls asked once more, which then read the bad answer and what was wrong with it. */
function askedAgain(part: number, { calls, input, output }: Amount): Amount {
  return {
    calls: Math.round(calls * (1 + part)),
    input: Math.round(input * (1 + part) + part * (output + calls * PIECES.correction)),
    output: Math.round(output * (1 + part)),
  };
}

/** What was asked of models that are not those of the settings, in work that was retried. */
function otherModels(rows: readonly EstimateRow[], ledger: Ledger): EstimateRow[] {
  const none = { calls: 0, input: 0, output: 0 };
  return SYNTHESIS_STEPS.flatMap((step) =>
    ledger
      .filter((row) => row.step === step && !rows.some((own) => own.step === step && own.spec === row.spec))
      .map((row) => ({
        step,
        spec: row.spec,
        spent: amountOf(row),
        left: { low: none, likely: none, high: none },
      })),
  );
}

/** What calls took, assumed tokens included: these are charged too. */
function amountOf({ calls, input, output, assumed }: LedgerTotals): Amount {
  return { calls, input: input + assumed.input, output: output + assumed.output };
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}
