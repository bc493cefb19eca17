import * as fc from 'fast-check';
import { callEstimate } from '../../../rules/estimate';
import { costOfRow } from '../../../rules/estimate-cost';
import { mergeLedgers } from '../../../rules/ledger';
import { finishedPersona, narrowedEstimate, type FinishedPersona } from '../../../rules/narrowed-estimate';
import {
  describingCalls,
  estimateRun,
  sumOf,
  type Amount,
  type EstimateRow,
  type RunShape,
} from '../../../rules/run-estimate';
import type { LedgerRow } from '../../../schemas/ledger';
import { synthesisSettingsSchema } from '../../../schemas/settings';
import { stepSchema, type SynthesisStep } from '../../../schemas/step';
import { exampleRecord } from './examples';
import { drawStructure } from '../../../rules/journey';

describe('a call that is about to be sent', () => {
  test('reads a token for every four characters, rounded up, and writes what is typical of its step', () => {
    expect(callEstimate({ step: 'user', characters: 4001, maxTokens: 8192 })).toMatchObject({ input: 1001 });
    for (const step of stepSchema.options) {
      const { output } = callEstimate({ step, characters: 0, maxTokens: 8192 });
      expect(output).toBeGreaterThan(50);
      expect(output).toBeLessThan(8192);
    }
  });

  test('writes as much as calls of its kind did lately, and never more than it may', () => {
    const call = { step: 'user', characters: 8, maxTokens: 300 } as const;
    expect(callEstimate({ ...call, recent: 120.2 })).toEqual({ input: 2, output: 121 });
    expect(callEstimate({ ...call, recent: 999 }).output).toBe(300);
    expect(callEstimate({ ...call, step: 'journey' }).output).toBe(300);
  });
});

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
  const batches = describingCalls([parsed.nPersonas], parsed.describeBatch);
  return { settings: parsed, batches, prompts, templates: 300 * parsed.nPersonas };
}

function rowOf(rows: readonly EstimateRow[], step: SynthesisStep): EstimateRow {
  const row = rows.find((one) => one.step === step);
  if (row === undefined) throw new Error(`no row of ${step}`);
  return row;
}

function bandOf(rows: readonly EstimateRow[]): { low: Amount; likely: Amount; high: Amount } {
  return {
    low: sumOf(rows.map(({ low }) => low)),
    likely: sumOf(rows.map(({ likely }) => likely)),
    high: sumOf(rows.map(({ high }) => high)),
  };
}

describe('a run that was asked nothing yet', () => {
  test('has a row for each step, with the model that plays its role', () => {
    expect(estimateRun(shape()).map(({ step, spec }) => [step, spec])).toEqual([
      ['describe', 'openai:s'],
      ['factors', 'openai:s'],
      ['journey', 'openai:s'],
      ['checklist', 'openai:s'],
      ['assistant', 'openai:a'],
      ['user', 'openai:u'],
    ]);
  });

  test('is expected to take some 130 calls a persona, as the paper’s 6.38 turns make it', () => {
    const { likely } = bandOf(estimateRun(shape({ nPersonas: 1000 })));
    expect(likely.calls / 1000).toBeGreaterThan(120);
    expect(likely.calls / 1000).toBeLessThan(150);
  });

  test('has ordered bounds whatever its settings, in whole numbers', () => {
    fc.assert(
      fc.property(
        fc.record({
          nPersonas: fc.integer({ min: 1, max: 300 }),
          nFactors: fc.integer({ min: 3, max: 12 }),
          nSessions: fc.integer({ min: 9, max: 20 }),
          maxTurns: fc.integer({ min: 1, max: 40 }),
          describeBatch: fc.integer({ min: 1, max: 8 }),
        }),
        (settings) => {
          for (const { low, likely, high } of estimateRun(shape(settings))) {
            for (const field of ['calls', 'input', 'output'] as const) {
              expect(low[field]).toBeLessThanOrEqual(likely[field]);
              expect(likely[field]).toBeLessThanOrEqual(high[field]);
              expect(Number.isInteger(likely[field])).toBe(true);
            }
          }
        },
      ),
      { numRuns: 50 },
    );
  });

  test('has nobody judge when the opening message is all that users say', () => {
    const rows = estimateRun(shape({ maxTurns: 1 }));
    expect(rowOf(rows, 'user').high).toEqual({ calls: 0, input: 0, output: 0 });
    expect(rowOf(rows, 'assistant').low.calls).toBe(6 * 12);
  });

  test('reads a dialogue again at every turn: longer dialogues take more than their share', () => {
    const [short, long] = [4, 16].map((maxTurns) => rowOf(estimateRun(shape({ maxTurns })), 'user').likely);
    expect((long?.input ?? 0) / (long?.calls ?? 1)).toBeGreaterThan(
      ((short?.input ?? 0) / (short?.calls ?? 1)) * 1.3,
    );
  });

  test('never writes more than the settings let a call write, and asks no more than they let it', () => {
    const steps = { journey: { maxTokens: 1000, asks: 1 } };
    expect(rowOf(estimateRun(shape({ steps })), 'journey').high).toMatchObject({ calls: 6, output: 6000 });
  });

  test('is described in batches that never reach over a number it has grown at', () => {
    expect(describingCalls([4], 4)).toBe(1);
    expect(describingCalls([5, 9], 4)).toBe(2 + 1);
    expect(describingCalls([250, 1000], 4)).toBe(63 + 188);
  });
});

/** A run of `simulated:default` with six personas and the built-in prompts, as its records tell it: 648 calls, and 2 descriptions. */
const MEASURED: readonly FinishedPersona[] = (
  [
    [116, 175_608, 18_449, 53, 52],
    [93, 116_924, 16_286, 41, 41],
    [136, 211_616, 21_396, 63, 62],
    [100, 150_283, 15_826, 45, 44],
    [85, 102_893, 13_886, 37, 37],
    [118, 176_343, 18_167, 54, 53],
  ] as const
).map(([calls, input, output, assistant, user]) => ({
  calls,
  input,
  output,
  taken: { factors: 1, journey: 1, checklist: 9, assistant, user },
}));

/** All of it, with the descriptions: what the journal's entries sum up to. */
const TOTAL = { calls: 650, input: 935_954, output: 105_752 };

function spent(
  step: SynthesisStep,
  calls: number,
  input: number,
  output: number,
  spec = 'openai:s',
): LedgerRow {
  const none = { bad: 0, refused: 0, uncounted: 0, lost: 0, failed: {}, milliseconds: 0 };
  return { spec, step, calls, input, output, assumed: { input: 0, output: 0 }, ...none };
}

describe('a run that is under way', () => {
  const before = estimateRun(shape());

  test('before its first answers is expected to take what a measured run took, within the band', () => {
    const { low, high } = bandOf(before);
    for (const field of ['calls', 'input', 'output'] as const) {
      expect(TOTAL[field]).toBeGreaterThan(low[field]);
      expect(TOTAL[field]).toBeLessThan(high[field]);
    }
  });

  test('is expected within a band that holds what it took, whichever personas are finished first', () => {
    for (let subset = 1; subset < 2 ** MEASURED.length; subset += 1) {
      const finished = MEASURED.filter((_, at) => subset & (1 << at));
      const { low, likely, high } = bandOf(narrowedEstimate(before, 6, finished, []));
      expect(low.calls).toBeLessThanOrEqual(TOTAL.calls);
      expect(high.calls).toBeGreaterThanOrEqual(TOTAL.calls);
      expect(likely.calls).toBeGreaterThanOrEqual(low.calls);
      expect(high.calls).toBeGreaterThanOrEqual(likely.calls);
    }
  });

  test('has a band that narrows with every persona', () => {
    const widths = MEASURED.map((_, at) => {
      const { low, high } = bandOf(narrowedEstimate(before, 6, MEASURED.slice(0, at + 1), []));
      return high.calls - low.calls;
    });
    const first = bandOf(before);
    const all = [first.high.calls - first.low.calls, ...widths];
    expect(all).toEqual(all.toSorted((one, other) => other - one));
    expect(new Set(all).size).toBe(all.length);
  });

  test('is known when all personas are finished, but for asking descriptions again', () => {
    const rows = narrowedEstimate(before, 6, MEASURED, []).filter(({ step }) => step !== 'describe');
    const { low, likely, high } = bandOf(rows);
    expect(likely.calls).toBe(648);
    // Each step is rounded to whole tokens.
    expect(Math.abs(likely.input - 933_667)).toBeLessThan(5);
    expect([low, high]).toEqual([likely, likely]);
  });

  test('shares the tokens of its steps as the ledger has them, however early the open dialogues are', () => {
    const ledger = [spent('factors', 6, 60_000, 6000), spent('user', 100, 10_000, 5000, 'openai:u')];
    const rows = narrowedEstimate(before, 6, MEASURED, ledger);
    const [factors, user] = [rowOf(rows, 'factors'), rowOf(rows, 'user')];
    expect(factors.likely.input / factors.likely.calls / (user.likely.input / user.likely.calls)).toBeCloseTo(
      100,
      1,
    );
  });

  test('is never expected to take less than it has taken, and tells models that only a retry asked', () => {
    const ledger = mergeLedgers([
      [
        spent('journey', 5000, 9e9, 1),
        spent('user', 3, 30, 3, 'openai:other'),
        { ...spent('describe', 4, 0, 0), uncounted: 4, assumed: { input: 9e8, output: 7 } },
      ],
    ]);
    for (const finished of [[], MEASURED]) {
      const rows = narrowedEstimate(before, 6, finished, ledger);
      expect(rowOf(rows, 'journey').low).toMatchObject({ calls: 5000, input: 9e9 });
      expect(rowOf(rows, 'describe').low).toMatchObject({ calls: 4, input: 9e8 });
      const other = { calls: 3, input: 30, output: 3 };
      expect(rows.at(-1)).toEqual({
        step: 'user',
        spec: 'openai:other',
        low: other,
        likely: other,
        high: other,
      });
    }
  });

  test('keeps the expected tokens of calls while providers report none', () => {
    const unreported = MEASURED.map((persona) => ({ ...persona, input: null, output: null }));
    const rows = narrowedEstimate(before, 6, unreported, []);
    const [was, is] = [rowOf(before, 'user').likely, rowOf(rows, 'user').likely];
    expect(is.calls).toBe(289);
    expect(is.input / is.calls).toBeCloseTo(was.input / was.calls, 0);
  });
});

test('a finished persona is counted by its record: messages of both sides, the opening ones left out', () => {
  const record = exampleRecord(drawStructure({ nSessions: 13, seed: 42, personaId: 1 }));
  const interactions = [
    { chat: ['user', 'assistant', 'user', 'assistant', 'user'], is_satisfied: true },
    { chat: ['user', 'assistant'], is_satisfied: false },
  ].map(({ chat, is_satisfied }, at) => ({
    session_id: at + 1,
    preference: 'p',
    checklist: [],
    is_satisfied,
    chat: chat.map((role) => ({
      role: role === 'user' ? ('user' as const) : ('assistant' as const),
      content: 'x',
    })),
  }));
  const preferences = new Set(record.sessions.map(({ preference }) => preference)).size;
  const kept = { record: { ...record, interactions }, workflow_id: 'w', disagreements: [], answered_by: [] };
  const counts = { calls: 20, bad_answers: 1, input_tokens: 5, output_tokens: null };
  expect(finishedPersona({ ...kept, ...counts })).toEqual({
    calls: 20,
    input: 5,
    output: null,
    taken: { factors: 1, journey: 1, checklist: preferences, assistant: 3, user: 2 },
  });
});

describe('what a row of an estimate costs', () => {
  const prices = {
    date: '2025-01-01',
    source: 'a test',
    usdPerMillionTokens: { 'openai:s': { input: 1, output: 10, cachedRead: 0.5 } },
  };
  const amount = { calls: 1, input: 1_000_000, output: 100_000 };
  const row: EstimateRow = {
    step: 'journey',
    spec: 'openai:s',
    low: { ...amount, input: 0 },
    likely: amount,
    high: { ...amount, input: 3_000_000 },
  };

  test('follows its tokens, and is unknown without a price', () => {
    expect(costOfRow(row, [], prices)).toEqual({ low: 1, likely: 2, high: 4 });
    expect(costOfRow({ ...row, spec: 'openai:x' }, [], prices)).toBeUndefined();
  });

  test('is as much cheaper as the calls so far were, whose tokens were cached', () => {
    const cached = { ...spent('journey', 1, 1_000_000, 0), cachedRead: 1_000_000 };
    expect(costOfRow(row, [cached], prices)).toEqual({ low: 0.5, likely: 1, high: 2 });
    expect(costOfRow(row, [{ ...cached, step: 'factors' }], prices)).toMatchObject({ likely: 2 });
  });
});
