import { hostname } from 'node:os';
import { renderStatus } from '../../../../cli/status/status-text';
import type { RunStatus } from '../../../../runs/status/run-status';
import type { LedgerRow } from '../../../../schemas/run/ledger';
import { expectGolden, renderChangedLines, type TitledText } from '../../../golden';
import { listExamples } from '../../../page-examples';

const MODEL = 'openai:gpt-4o-2024-11-20';

const ROW: LedgerRow = {
  spec: MODEL,
  step: 'user',
  calls: 1_200,
  badAnswers: 3,
  refusals: 0,
  input: 2_000_000,
  output: 90_000,
  uncountedCalls: 0,
  lostCalls: 0,
  assumedTokens: { input: 0, output: 0 },
  failures: {},
  durationMs: 2_400_000,
};

const RUNNING: RunStatus = {
  run: 'cupid-1a2b3c4d',
  kind: 'synthesis',
  folder: '/runs/out',
  engine: 'embedded Temporal server',
  state: 'running',
  work: { unit: 'personas', all: 250, finished: 11, failed: 1, open: 8 },
  inFlight: { total: 30, calls: { user: 12, assistant: 18, factors: 0 }, dialogues: 61 },
  perMinute: 64,
  ledger: [ROW],
  cost: {
    usd: 5.9,
    unpricedModels: [],
    pricesCheckedOn: '2025-07-31',
    savings: { cachedShare: 0.741, cachingUsd: 3.1, tierUsd: 6.2 },
  },
  batches: [],
  models: [{ spec: MODEL, limits: {} }],
  workers: [
    { worker: 'one', codeVersion: '0.1.0+old', inFlight: 12, perMinute: 30, concurrency: 16 },
    { worker: 'two', codeVersion: '0.1.0+new', inFlight: 18, perMinute: 34, concurrency: 20 },
  ],
  projection: { callsLeft: 17_550, calls: 18_750, usd: 92.2, secondsLeft: 16_500 },
};

const BUDGET = { unit: 'usd', cap: 6, spent: 5.9, reserved: 0.05, remaining: 0.05 } as const;
const SAVINGS = { cachingUsd: -0.5, tierUsd: 0 };

const CHANGES: readonly (readonly [what: string, change: Partial<RunStatus>])[] = [
  [
    'calls that wait much longer than others of their step',
    {
      slowCalls: [
        {
          spec: MODEL,
          step: 'user',
          calls: 12,
          waitedMs: 310_000,
          answered: 1_200,
          medianMs: 1_800,
          longestMs: 21_400,
        },
      ],
    },
  ],
  ['a maximum of calls in flight over all workers', { concurrency: 48 }],
  ['a pause by a user', { state: 'paused', pause: { by: 'user' } }],
  ['a pause of a stopped run', { state: 'stopped', pause: { by: 'user' } }],
  [
    'an evaluation whose last command named only some of its models',
    {
      run: 'cupid-eval-1a2b3c4d',
      kind: 'evaluation',
      state: 'stopped',
      work: {
        unit: 'trials',
        all: 36,
        finished: 24,
        unnamed: ['12 instances of choice by openai:gpt-6-luna (context full)'],
      },
    },
  ],
  [
    'a budget that is used up',
    { state: 'paused', pause: { by: 'budget', spent: 5.95, cap: 6 }, budget: BUDGET },
  ],
  [
    'a model without a price',
    { cost: { usd: 5.9, unpricedModels: ['openai:unheard-of'], savings: SAVINGS } },
  ],
  [
    'errors, and calls without an answer or a number of tokens',
    { ledger: [{ ...ROW, failures: { 'rate-limit': 4, timeout: 1 }, lostCalls: 2, uncountedCalls: 1 }] },
  ],
  [
    'a model with limits, one that is unavailable and asked to wait, and one whose provider holds no more',
    {
      models: [
        {
          spec: MODEL,
          limits: { requestsPerMinute: 600, tokensPerMinute: 2_000_000 },
          requestsLastMinute: 540,
          tokensLastMinute: 1_200_000,
        },
        {
          spec: 'openai:other',
          limits: {},
          outage: { since: '2026-01-01T10:00:00.000Z', cause: 'connection refused' },
          backoffMs: 30_000,
        },
        { spec: 'openai:third', limits: {}, adaptiveLimit: 37 },
      ],
    },
  ],
];

/** Statuses that pages of the documentation show. */
const DOCUMENTED: readonly (readonly [page: string, change: Partial<RunStatus>])[] = [
  [
    'docs/steering.md',
    {
      perMinute: 540,
      projection: { callsLeft: 17_550, calls: 18_750, usd: 92.2, secondsLeft: 1_950 },
      ledger: [{ ...ROW, failures: { 'rate-limit': 4 } }],
      inFlight: { total: 30, calls: { user: 12, assistant: 18 }, dialogues: 61 },
      cost: {
        usd: 5.9,
        unpricedModels: [],
        pricesCheckedOn: '2026-11-22',
        savings: { cachingUsd: 0, tierUsd: 0 },
      },
      budget: { unit: 'usd', cap: 100, spent: 5.9, reserved: 0.13, remaining: 93.97 },
      models: [
        {
          spec: 'openai:gpt-6.1-terra',
          limits: { requestsPerMinute: 600 },
          requestsLastMinute: 540,
          tokensLastMinute: 1_200_000,
        },
      ],
      workers: [
        { worker: 'host-4711-88', codeVersion: '0.1.0', inFlight: 30, perMinute: 540, concurrency: 32 },
      ],
    },
  ],
  [
    'docs/batch.md',
    {
      batches: [
        {
          number: 1,
          id: 'cupid-eval-1a2b3c4d-b1-9f3a2c',
          spec: 'openai:gpt-6-luna',
          step: 'infer',
          requests: 1_000,
          answers: 640,
          estimate: { input: 0, output: 0 },
          sha256: '',
          submission: { sentAtMs: Date.UTC(2026, 10, 23, 9, 12), account: '' },
        },
      ],
    },
  ],
];

describe('what cupid status says of a run', () => {
  test.each(DOCUMENTED)('it prints what %s shows', (page, change) => {
    const lines = renderStatus({ ...RUNNING, ...change }, 'out');
    const shown = listExamples(page).flatMap((example) => example.shown);
    expect(shown.length).toBeGreaterThan(0);
    expect(lines.filter((line) => shown.includes(line))).toEqual(shown);
  });

  test('how far it is, what is in flight, what it took, what is left, and what stands in its way', () => {
    const running = text({});
    const changed = CHANGES.map(([what, change]): TitledText => [
      what,
      renderChangedLines(running, text(change)),
    ]);
    expectGolden('status.txt', [['a run in progress', running], ...changed]);
  });

  test('a driver on a machine that cannot be reached is not said to be starting', () => {
    const driver = { pid: 7, host: 'elsewhere' };
    expect(text({ state: 'starting', driver })).toContain('it is starting or ending');
    const unreachable = text({ state: 'starting', driver, engineProblem: 'It runs on elsewhere.' });
    expect(unreachable).toContain('It runs on elsewhere.');
    expect(unreachable).not.toContain('it is starting or ending');
  });

  test('a server that shows the workflows, and how to stop it', () => {
    const driver = { pid: 7, host: hostname(), command: 'server' } as const;
    expect(text({ state: 'stopped', driver })).toContain(
      'It is a cupid server, which shows the workflows of the run. Stop it: kill 7.',
    );
    expect(text({ state: 'stopped', driver: { ...driver, host: 'elsewhere' } })).toContain(
      'Stop it on elsewhere: kill 7.',
    );
  });

  test('no rate while no worker has reported one', () => {
    const { perMinute: _, ...starting } = RUNNING;
    const lines = renderStatus(starting, 'out');
    expect(lines).toContain('calls      1,200 answered, 3 bad answers, no errors');
    expect(lines).toContain('workers    one: 12 of 16 in flight');
  });

  test.each([
    ['cupid-1a2b3c4d', 'synthesis', 'synth'],
    ['cupid-eval-1a2b3c4d', 'evaluation', 'eval'],
    ['cupid-verify-1a2b3c4d', 'verification', 'verify'],
  ])('%s is a stopped %s, which cupid %s continues', (run, purpose, command) => {
    const said = text({ run, kind: purpose === 'synthesis' ? 'synthesis' : 'evaluation', state: 'stopped' });
    expect(said).toContain(`Run ${run} (${purpose}) on the embedded Temporal server: stopped.`);
    expect(said).toContain(`Repeat its cupid ${command} command to continue.`);
  });

  test('an evaluation counts instances, models and contexts', () => {
    const work = { unit: 'trials', all: 24, finished: 12, failed: 0, open: 3 } as const;
    expect(text({ run: 'cupid-eval-1a2b3c4d', kind: 'evaluation', work })).toContain(
      'evaluated  12 of 24 (instances × models × contexts), 0 calls without a usable answer, 3 in progress',
    );
  });

  test('a stopped run whose budget is spent needs a higher one', () => {
    const budget = { unit: 'usd', cap: 50, spent: 51, reserved: 0, remaining: 0 } as const;
    expect(text({ state: 'stopped', budget })).toContain(
      `Its budget is spent: repeat its cupid synth command with a higher --budget to continue.`,
    );
  });

  test('nothing is made up for a run that nobody answers for', () => {
    const { run, kind, engine } = RUNNING;
    const unknown: RunStatus = {
      run,
      kind,
      engine,
      state: 'unattended',
      work: { unit: 'personas' },
      batches: [],
      models: [],
      workers: [],
    };
    const said = renderStatus(unknown, run).join('\n');
    expect(said).toContain('personas   not known');
    expect(said).not.toMatch(/\$|\d+ answered/);
  });
});

function text(change: Partial<RunStatus>): string {
  return renderStatus({ ...RUNNING, ...change }, 'out').join('\n');
}
