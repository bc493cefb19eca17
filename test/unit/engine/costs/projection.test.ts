import * as fc from 'fast-check';
import type { RunShape } from '../../../../engine/costs/expected-tokens';
import { computeTotals, mergeLedgers } from '../../../../engine/costs/ledger';
import {
  computeRowCost,
  computeProjection,
  projectEvaluation,
  projectRun,
  projectTrials,
  type EvaluationCalls,
  type ProjectedRow,
  type RunProjection,
} from '../../../../engine/costs/projection';
import { NO_ANSWERS, type DialogueAnswers, type RunAnswers } from '../../../../engine/costs/run-answers';
import { createRandom } from '../../../../rules/sampling/random';
import type { Ledger, LedgerRow } from '../../../../schemas/run/ledger';
import { evaluationStepsSchema, synthesisSettingsSchema } from '../../../../schemas/run/settings';
import type { Step, SynthesisStep } from '../../../../schemas/run/step';
import { buildPriceTable } from '../../../price-table';

const MODELS = { synthesis: 'openai:s', user: 'openai:u', assistant: 'openai:a' };

function shape(settings: object = {}): RunShape {
  const parsed = synthesisSettingsSchema.parse({ models: MODELS, nPersonas: 6, ...settings });
  const prompts = {
    describe: 3600,
    factors: 9600,
    journey: 11_000,
    checklist: 2600,
    assistant: 100,
    user: 5800,
  };
  return {
    settings: parsed,
    batches: Math.ceil(parsed.nPersonas / parsed.describeBatch),
    prompts,
    templates: 300 * parsed.nPersonas,
  };
}

function rowOf(rows: readonly ProjectedRow[], step: Step): ProjectedRow {
  const row = rows.find((one) => one.step === step);
  if (row === undefined) throw new Error(`no row of ${step}`);
  return row;
}

function project(settings: object, answers: RunAnswers, ledger: Ledger = []): RunProjection {
  return projectRun(shape(settings), answers, ledger, { table: [] });
}

function estimateNew(settings: object = {}): readonly ProjectedRow[] {
  return project(settings, NO_ANSWERS).rows;
}

describe('a run that was asked nothing yet', () => {
  test('has a row for each step, with the model that plays its role', () => {
    expect(estimateNew().map(({ step, spec }) => [step, spec])).toEqual([
      ['describe', 'openai:s'],
      ['factors', 'openai:s'],
      ['journey', 'openai:s'],
      ['checklist', 'openai:s'],
      ['assistant', 'openai:a'],
      ['user', 'openai:u'],
    ]);
  });

  test('is expected to have dialogues of the length that the published ones have', () => {
    const rows = estimateNew({ nPersonas: 1000, steps: { assistant: { maxRepairs: 0 } } });
    const { calls } = rowOf(rows, 'assistant').remaining.likely;
    expect(calls / 12_000).toBeGreaterThan(2.8);
    expect(calls / 12_000).toBeLessThan(3);
  });

  test('has ordered bounds whatever its settings, in whole numbers', () => {
    fc.assert(
      fc.property(
        fc.record({
          nPersonas: fc.integer({ min: 1, max: 300 }),
          nFactors: fc.integer({ min: 3, max: 12 }),
          nSessions: fc.integer({ min: 9, max: 100 }),
          maxTurns: fc.integer({ min: 1, max: 40 }),
          describeBatch: fc.integer({ min: 1, max: 8 }),
        }),
        (settings) => {
          for (const { remaining } of estimateNew(settings)) {
            for (const field of ['calls', 'input', 'output'] as const) {
              expect(remaining.low[field]).toBeLessThanOrEqual(remaining.likely[field]);
              expect(remaining.likely[field]).toBeLessThanOrEqual(remaining.high[field]);
              expect(Number.isInteger(remaining.likely[field])).toBe(true);
            }
          }
        },
      ),
      { numRuns: 50 },
    );
  });

  test('has a call for each part of a long journey, which reads a line for each session before it', () => {
    const steps = { journey: { maxRepairs: 0 } };
    const [short, long] = [13, 60].map(
      (nSessions) => rowOf(estimateNew({ nSessions, steps }), 'journey').remaining.likely,
    );
    expect((long?.calls ?? 0) / (short?.calls ?? 1)).toBe(5);
    const [input = 0, longInput = 0] = [short, long].map((part) => (part?.input ?? 0) / (part?.calls ?? 1));
    // On average 24 sessions are before a part.
    expect((longInput - input) / 24).toBeGreaterThan(100);
    expect((longInput - input) / 24).toBeLessThan(130);
  });

  test('has nobody judge when the opening message is all that users say', () => {
    const rows = estimateNew({ maxTurns: 1 });
    expect(rowOf(rows, 'user').remaining.high).toEqual({ calls: 0, input: 0, output: 0 });
    expect(rowOf(rows, 'assistant').remaining.low.calls).toBe(6 * 12);
  });

  test('reads a dialogue again at every turn: longer dialogues take more than their share', () => {
    const [short, long] = [4, 16].map(
      (maxTurns) => rowOf(estimateNew({ maxTurns }), 'user').remaining.likely,
    );
    expect((long?.input ?? 0) / (long?.calls ?? 1)).toBeGreaterThan(
      ((short?.input ?? 0) / (short?.calls ?? 1)) * 1.15,
    );
  });

  test('never writes more than the settings let a call write, and asks no more than they let it', () => {
    const steps = { journey: { maxTokens: 1000, maxRepairs: 0 } };
    expect(rowOf(estimateNew({ steps }), 'journey').remaining.high).toMatchObject({ calls: 6, output: 6000 });
  });
});

/** Lengths of dialogues, in proportion to their frequency: 2.9 on average, as in the published data, where one in a hundred never ends. */
const LENGTHS = [1, 1, 2, 2, 2, 3, 3, 3, 4, 4, 5, 5];

/** Returns a run of this many personas with concurrent dialogues, stopped after a part of all calls, with the number of calls left. */
function stoppedAt(part: number, nPersonas: number, seed: number): { answers: RunAnswers; left: number } {
  const random = createRandom('a stopped run', seed);
  const lengths = Array.from({ length: nPersonas * 12 }, () =>
    random.integer(100) === 0 ? 15 : random.pick(LENGTHS),
  );
  const planned = nPersonas * 11 + Math.ceil(nPersonas / 4);
  const total = planned + 2 * lengths.reduce((sum, length) => sum + length, 0);
  let left = Math.round(total * (1 - part));
  const answered = total - planned - left;
  const dialogues = lengths.map(() => ({ assistant: 0, user: 0 }));
  for (let calls = 0; calls < answered;) {
    const open = dialogues.filter(({ user }, at) => user < (lengths[at] ?? 0));
    // Sixteen calls in flight: dialogues that began first tend to go first.
    const one = open[random.integer(Math.min(16, open.length))];
    if (one === undefined) break;
    if (one.assistant > one.user) one.user += 1;
    else one.assistant += 1;
    calls += 1;
  }
  if (answered < 0) left = total - planned;
  const personas = Array.from({ length: nPersonas }, (_, at) => {
    const own = dialogues
      .slice(at * 12, at * 12 + 12)
      .map(({ assistant, user }, session): DialogueAnswers => ({
        assistant,
        user,
        ended: user === lengths[at * 12 + session],
      }));
    const closed = own.every(({ ended }) => ended);
    const begun = own.filter(({ assistant }) => assistant > 0);
    return [at + 1, { closed, factors: true, journeyParts: 1, checklists: 9, dialogues: begun }] as const;
  });
  return { answers: { descriptions: Math.ceil(nPersonas / 4), personas: new Map(personas) }, left };
}

describe('a run that is under way', () => {
  test.each([0.4, 0.5, 0.6, 0.7])(
    'after %f of its calls is expected to take what it then takes, within a fourth',
    (part) => {
      const errors = Array.from({ length: 40 }, (_, seed) => {
        const { answers, left } = stoppedAt(part, 8, seed);
        return project({ nPersonas: 8 }, answers).remaining.likely.calls / left - 1;
      });
      const within = errors.filter((error) => Math.abs(error) <= 0.25).length;
      // Nine runs in ten, because the length of dialogues without an end is unknown.
      expect(within).toBeGreaterThanOrEqual(36);
    },
  );

  test('has a band that holds what it then takes, and that is narrower the more was answered', () => {
    const widths = [0.3, 0.5, 0.7, 0.9].map((part) => {
      let [width, held] = [0, 0];
      for (let seed = 0; seed < 40; seed += 1) {
        const { answers, left } = stoppedAt(part, 8, seed);
        const { low, high } = project({ nPersonas: 8 }, answers).remaining;
        width += high.calls - low.calls;
        if (left >= low.calls && left <= high.calls) held += 1;
      }
      expect(held).toBeGreaterThanOrEqual(36);
      return width;
    });
    expect(widths).toEqual(widths.toSorted((one, other) => other - one));
  });

  test('has nothing left once all personas are closed', () => {
    const closed = { closed: true, factors: true, journeyParts: 0, checklists: 0, dialogues: [] };
    const personas = new Map(Array.from({ length: 6 }, (_, at) => [at + 1, closed]));
    const none = { ...NONE, usd: 0 };
    expect(project({}, { descriptions: 2, personas }).remaining).toEqual({
      low: none,
      likely: none,
      high: none,
    });
  });

  test('counts what was asked of the personas at work: a call in the middle of a turn, and planning that is half done', () => {
    const settings = { nPersonas: 1, maxTurns: 2, nSessions: 9, steps: ONE_ASK };
    const expected = (answers: RunAnswers) =>
      project(settings, answers).rows.map(({ remaining }) => remaining.likely.calls);
    const persona = { closed: false, factors: true, journeyParts: 1, checklists: 3, dialogues: [] };
    const at = (change: object): RunAnswers => ({
      descriptions: 1,
      personas: new Map([[1, { ...persona, ...change }]]),
    });
    // Nine sessions make five preferences and eight dialogues.
    expect(expected(at({})).slice(0, 4)).toEqual([0, 0, 0, 2]);
    expect(expected(at({ journeyParts: 0, checklists: 0 })).slice(0, 4)).toEqual([0, 0, 1, 5]);
    const ended: DialogueAnswers = { assistant: 1, user: 1, ended: true };
    const dialogues = [...Array.from({ length: 7 }, () => ended), { assistant: 2, user: 1, ended: true }];
    expect(expected(at({ dialogues }))).toEqual([0, 0, 0, 0, 0, 0]);
    const judging = { assistant: 1, user: 0, ended: false };
    // The user judges, and is satisfied more often than not.
    expect(expected(at({ dialogues: [...dialogues.slice(1), judging] }))).toEqual([0, 0, 0, 0, 0, 1]);
  });

  test('has tokens as its calls had so far, a prompt that grows with every turn taken into account', () => {
    const { answers } = stoppedAt(0.5, 8, 1);
    const before = rowOf(project({ nPersonas: 8 }, answers).rows, 'user').remaining.likely;
    const judged = [...answers.personas.values()].flatMap(({ dialogues }) => dialogues);
    const calls = judged.reduce((sum, { user }) => sum + user, 0);
    const twice = spent('user', calls, 0, calls * 520, 'openai:u');
    const after = rowOf(project({ nPersonas: 8 }, answers, [twice]).rows, 'user').remaining.likely;
    expect(after.output / before.output).toBeGreaterThan(1.8);
    expect(after.output / before.output).toBeLessThan(2);
  });

  test('is expected to repair as many answers as it did so far', () => {
    const bad = { ...spent('user', 1000, 1, 1), badAnswers: 500 };
    const few = project({}, NO_ANSWERS).remaining;
    const many = project({}, NO_ANSWERS, [bad]).remaining;
    expect(many.likely.calls / few.likely.calls).toBeGreaterThan(1.6);
  });

  test('shows what was spent, tokens that were assumed and models that only a retry asked included', () => {
    const ledger = mergeLedgers([
      [
        spent('journey', 5000, 9e9, 1),
        spent('user', 3, 30, 3, 'openai:other'),
        { ...spent('describe', 4, 0, 0), uncountedCalls: 4, assumedTokens: { input: 9e8, output: 7 } },
      ],
    ]);
    const { rows } = project({}, NO_ANSWERS, ledger);
    expect(rowOf(rows, 'journey').spent).toEqual({ calls: 5000, input: 9e9, output: 1 });
    expect(rowOf(rows, 'describe').spent).toEqual({ calls: 4, input: 9e8, output: 7 });
    expect(rows.at(-1)).toEqual({
      step: 'user',
      spec: 'openai:other',
      spent: { calls: 3, input: 30, output: 3 },
      remaining: { low: NONE, likely: NONE, high: NONE },
    });
  });
});

describe('an evaluation', () => {
  const LEFT = { calls: 100, input: 50_000, output: 20_000 };
  const steps = evaluationStepsSchema.parse({});
  const call = (answered = NONE, certain = 100): EvaluationCalls => ({
    step: 'match',
    spec: 'openai:e',
    left: LEFT,
    certain,
    answered,
  });
  const matched = { ...spent('user', 1000, 1_000_000, 100_000, 'openai:e'), step: 'match' as const };
  const likely = (calls: EvaluationCalls, ledger: Ledger = []) =>
    rowOf(projectEvaluation([calls], steps, ledger, { table: [] }).rows, 'match').remaining;

  test('has at least the calls that no answer makes needless, and repairs besides', () => {
    expect(likely(call()).low.calls).toBe(100);
    expect(likely(call(NONE, 40)).low.calls).toBe(40);
    expect(likely(call(NONE, 40)).high.calls).toBe(likely(call()).high.calls);
    expect(likely(call()).high.calls).toBeGreaterThan(105);
    const unrepaired = { ...steps, match: { ...steps.match, maxRepairs: 0 } };
    const { remaining } = projectEvaluation([call()], unrepaired, [], { table: [] });
    expect(remaining.high.calls).toBe(100);
  });

  test('has tokens as its answered calls had, compared with what they were expected to have', () => {
    const expected = { calls: 500, input: 250_000, output: 100_000 };
    const { likely: corrected } = likely(call(expected), [matched]);
    // Each call read 1000 tokens instead of 500, and wrote 100 instead of 200.
    expect(corrected.input / LEFT.input).toBeCloseTo(2, 1);
    expect(corrected.output / LEFT.output).toBeCloseTo(0.5, 1);
    // Calls of another kind say nothing about these.
    expect(likely(call(), [matched]).likely.input / LEFT.input).toBeCloseTo(1, 1);
  });

  test('lists the steps in their order, and models that only an earlier command asked last', () => {
    const infer = { ...call(), step: 'infer' as const, spec: 'openai:m' };
    const earlier = { ...matched, spec: 'openai:other' };
    const table = buildPriceTable({ 'openai:e': { input: 1, output: 10 } });
    const { rows, remaining } = projectEvaluation([call(), infer], steps, [earlier], { table });
    expect(rows.map(({ step, spec, usd }) => [step, spec, usd !== undefined])).toEqual([
      ['infer', 'openai:m', false],
      ['match', 'openai:e', true],
      ['match', 'openai:other', false],
    ]);
    expect(remaining.likely.usd).toBeCloseTo((50_000 * 1 + 20_000 * 10) / 1e6, 1);
  });
});

const NONE = { calls: 0, input: 0, output: 0 };

const ONE_ASK = Object.fromEntries(
  ['describe', 'factors', 'journey', 'checklist', 'assistant', 'user'].map((step) => [
    step,
    { maxRepairs: 0 },
  ]),
);

function spent(
  step: SynthesisStep,
  calls: number,
  input: number,
  output: number,
  spec = 'openai:s',
): LedgerRow {
  return { ...computeTotals([]), spec, step, calls, input, output };
}

describe('what a row of a projection costs', () => {
  const prices = buildPriceTable({ 'openai:s': { input: 1, output: 10, cachedRead: 0.5 } });
  const amount = { calls: 1, input: 1_000_000, output: 100_000 };
  const row: ProjectedRow = {
    step: 'journey',
    spec: 'openai:s',
    spent: { calls: 0, input: 0, output: 0 },
    remaining: { low: { ...amount, input: 0 }, likely: amount, high: { ...amount, input: 3_000_000 } },
  };

  test('follows its tokens, and is unknown without a price', () => {
    expect(computeRowCost(row, [], prices)).toEqual({ spent: 0, remaining: { low: 1, likely: 2, high: 4 } });
    expect(computeRowCost({ ...row, spec: 'openai:x' }, [], prices)).toBeUndefined();
  });

  test('is that of the tier which the calls that are left go to, whatever those so far were served in', () => {
    const standard = { input: 1, output: 10, cachedRead: 0.5 };
    const flex = { input: 0.5, output: 5, cachedRead: 0.25 };
    const table = [{ model: 'openai:s', checked: '2026-01-01', source: 's', prices: { standard, flex } }];
    expect(computeRowCost(row, [], table, 'flex')?.remaining.likely).toBe(1);
    const cached = { ...spent('journey', 1, 1_000_000, 0), cachedRead: 1_000_000 };
    expect(computeRowCost(row, [cached], table, 'flex')).toMatchObject({
      spent: 0.5,
      remaining: { likely: 0.5 },
    });
    const served = { ...cached, tier: 'flex' as const };
    expect(computeRowCost(row, [served], table)).toMatchObject({ spent: 0.25, remaining: { likely: 1 } });
  });

  test('is as much cheaper as the calls so far were, whose tokens were cached', () => {
    const cached = { ...spent('journey', 1, 1_000_000, 0), cachedRead: 1_000_000 };
    const known = { ...row, spent: { calls: 1, input: 1_000_000, output: 0 } };
    expect(computeRowCost(known, [cached], prices)).toEqual({
      spent: 0.5,
      remaining: { low: 0.5, likely: 1, high: 2 },
    });
    expect(computeRowCost(row, [{ ...cached, step: 'factors' }], prices)?.remaining.likely).toBe(2);
  });
});

test('a run comes to what it took and what is left, and takes as long as its calls of late let expect', () => {
  const taken = { calls: 500, usd: 2, perMinute: 100 };
  expect(computeProjection(taken, { calls: 1500, usd: 6 })).toEqual({
    callsLeft: 1500,
    calls: 2000,
    usd: 8,
    secondsLeft: 900,
  });
  expect(computeProjection({ ...taken, perMinute: 0 }, { calls: 1500, usd: 6 })).not.toHaveProperty(
    'secondsLeft',
  );
});

describe('an evaluation', () => {
  test('is not projected before a call is made, because it may cost anything', () => {
    const nothing = { calls: 0, badAnswers: 0, usd: 0, perMinute: 60 };
    expect(projectTrials({ all: 10, done: 0, open: 4, callsEach: 6 }, nothing)).toBeUndefined();
  });

  test.each<[string, Omit<Parameters<typeof projectTrials>[0], 'callsEach'>, number, number, number?]>([
    ['the first trials are open', { all: 24, done: 0, open: 14 }, 48, 96],
    ['some answers were bad', { all: 24, done: 10, open: 14 }, 72, 78, 6],
    ['some are done', { all: 24, done: 10, open: 14 }, 72, 72],
    ['open ones are nearly done', { all: 24, done: 14, open: 10 }, 132, 12],
    ['calls were made again, so open ones count by half', { all: 24, done: 20, open: 4 }, 200, 12],
    ['inferences were empty, so open ones count by half', { all: 24, done: 20, open: 4 }, 90, 12],
    ['all are done', { all: 24, done: 24, open: 0 }, 144, 0],
  ])('has the calls left of its trials: %s', (_, trials, calls, left, badAnswers = 0) => {
    const usage = { calls, badAnswers, usd: calls / 100, perMinute: 60 };
    const projection = projectTrials({ ...trials, callsEach: 6 }, usage);
    expect(projection).toMatchObject({ callsLeft: left, calls: calls + left, secondsLeft: left });
    expect(projection?.usd).toBeCloseTo((calls + left) / 100);
  });
});
