import { COMMAND } from '../../../../cli/exit';
import { renderStatus } from '../../../../cli/status/status-text';
import type { RunStatus } from '../../../../runs/status/run-status';
import type { LedgerRow } from '../../../../schemas/run/ledger';

const MODEL = 'openai:gpt-4o-2024-11-20';

const ROW: LedgerRow = {
  spec: MODEL,
  step: 'user',
  calls: 1_200,
  bad: 3,
  refused: 0,
  input: 2_000_000,
  output: 90_000,
  uncounted: 0,
  lost: 0,
  assumed: { input: 0, output: 0 },
  failed: {},
  milliseconds: 2_400_000,
};

const RUNNING: RunStatus = {
  run: 'cupid-1a2b3c4d',
  kind: 'synthesis',
  folder: '/runs/out',
  engine: 'embedded engine',
  state: 'running',
  work: { of: 'personas', all: 250, finished: 11, failed: 1, open: 8 },
  inFlight: { total: 30, calls: { user: 12, assistant: 18, factors: 0 }, dialogues: 61 },
  perMinute: 64,
  ledger: [ROW],
  cost: {
    usd: 5.9,
    unpriced: [],
    pricesCheckedOn: '2025-07-31',
    savings: { cachedShare: 0.741, cachingUsd: 3.1, tierUsd: 6.2 },
  },
  batches: [],
  models: [{ spec: MODEL, limits: {} }],
  workers: [
    { worker: 'one', codeVersion: '0.1.0+old', inFlight: 12, perMinute: 30, concurrency: 16 },
    { worker: 'two', codeVersion: '0.1.0+new', inFlight: 18, perMinute: 34, concurrency: 16 },
  ],
  projection: { callsLeft: 17_550, calls: 18_750, usd: 92.2, secondsLeft: 16_500 },
};

describe('what cupid status says of a run', () => {
  test('how far it is, what is in flight, what it took, and what is left', () => {
    expect(renderStatus(RUNNING, 'out')).toEqual([
      'Run cupid-1a2b3c4d (synthesis) on the embedded engine: running.',
      'personas   11 of 250 done, 1 failed, 8 in progress',
      'in flight  61 dialogues; 30 calls of 32 at most: 12 user, 18 assistant',
      'calls      1,200 answered, 64 per minute, 3 bad answers, no errors',
      'cost       $5.90 at prices of 2025-07-31; 74 % of the input was cached; caching saved $3.10; cheaper tiers saved $6.20',
      'left       about 17,550 calls, about 4 h 35 min; about 18,750 calls and about $92.20 in total',
      'workers    one: 12 in flight, 30 calls/min',
      '           two: 18 in flight, 34 calls/min',
      'versions   0.1.0+old (1 worker), 0.1.0+new (1 worker)',
      '',
      '                                              tokens ────────────────',
      'model, step               calls  bad  errors         in cached    out  s/call',
      'openai:gpt-4o-2024-11-20  1,200    3       0  2,000,000      – 90,000     2.0',
    ]);
  });

  test('no rate while no worker has reported one', () => {
    const { perMinute: _, ...starting } = RUNNING;
    const lines = renderStatus(starting, 'out');
    expect(lines).toContain('calls      1,200 answered, 3 bad answers, no errors');
    expect(lines).toContain('workers    one: 12 in flight');
  });

  test('a pause says who made it and how it is lifted', () => {
    expect(text({ state: 'paused', paused: { by: 'user' } })).toContain(
      `Resume it with: ${COMMAND} resume out`,
    );
    expect(text({ state: 'stopped', paused: { by: 'user' } })).toContain(
      `It will start paused. Resume it with: ${COMMAND} resume out`,
    );
    const budget = { unit: 'usd', cap: 6, spent: 5.9, reserved: 0.05, left: 0.05 } as const;
    const paused = text({ state: 'paused', paused: { by: 'budget', spent: 5.95, cap: 6 }, budget });
    expect(paused).toContain(`${COMMAND} set out --budget`);
    expect(paused).toContain(
      'budget     $0.05 left of $6.00: $5.90 spent, $0.05 reserved for calls in flight',
    );
  });

  test('a cost is a lower bound where a model has no price, which is named', () => {
    const savings = { cachingUsd: -0.5, tierUsd: 0 };
    const cost = { usd: 5.9, unpriced: ['openai:unheard-of'], savings };
    const said = text({ cost });
    expect(said).toContain('at least $5.90; caching added $0.50;');
    expect(said).toContain('without a price: openai:unheard-of');
    expect(said).toContain('at least $92.20 in total');
  });

  test('errors are reported by kind, calls without an answer as charged at estimates, and tokens that some calls did not report as at least so many', () => {
    const row = { ...ROW, failed: { 'rate-limit': 4, timeout: 1 }, lost: 2, uncounted: 1 };
    const said = text({ ledger: [row] });
    expect(said).toContain('5 errors (4 rate-limit, 1 timeout)');
    expect(said).toContain('2 without an answer (charged at estimates)');
    expect(said).toContain('≥2,000,000');
  });

  test('a model that is unavailable, asked to wait or is limited stands with what it said', () => {
    const unavailable = { since: '2026-01-01T10:00:00.000Z', cause: 'connection refused' };
    const limits = { requestsPerMinute: 600, tokensPerMinute: 2_000_000 };
    const said = text({
      models: [
        { spec: MODEL, limits, requestsLastMinute: 540, tokensLastMinute: 1_200_000 },
        { spec: 'openai:other', limits: {}, unavailable, backoffMs: 30_000 },
      ],
    });
    expect(said).toContain(
      `${MODEL}: at most 600 requests/min, 2.0 Mtok/min; last minute 540 requests, 1.2 Mtok`,
    );
    expect(said).toContain(
      'openai:other: the provider asked us to wait 30 s; unavailable since 2026-01-01T10:00:00',
    );
    expect(said).toContain('(connection refused)');
  });

  test.each([
    ['cupid-1a2b3c4d', 'synthesis', 'synth'],
    ['cupid-eval-1a2b3c4d', 'evaluation', 'eval'],
    ['cupid-verify-1a2b3c4d', 'verification', 'verify'],
  ])('%s is a stopped %s, which cupid %s continues', (run, purpose, command) => {
    const said = text({ run, kind: purpose === 'synthesis' ? 'synthesis' : 'evaluation', state: 'stopped' });
    expect(said).toContain(`Run ${run} (${purpose}) on the embedded engine: stopped.`);
    expect(said).toContain(`Repeat its ${COMMAND} ${command} command to continue.`);
  });

  test('nothing is made up for a run that nobody answers for', () => {
    const { run, kind, engine } = RUNNING;
    const unknown: RunStatus = {
      run,
      kind,
      engine,
      state: 'unattended',
      work: { of: 'personas' },
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
