import { computeCost } from '../../../../engine/costs/prices';
import { LedgerTally } from '../../../../engine/costs/ledger';
import { TimelineCounter } from '../../../../engine/costs/timeline';
import { readBuiltInTable } from '../../../../data/model-table';
import { openPen } from '../../../../pages/charts/drawing';
import { renderPage } from '../../../../pages/report/page';
import { buildUsageParts, listUsageFacts, type RunUsage } from '../../../../pages/report/usage-report';
import type { LedgerLine } from '../../../../schemas/run/ledger';
import { stream } from '../../data/sets/instances';
import { listTableRows, omitIsolation } from '../../../page-tables';

const PRICED = 'openai:gpt-4o-2024-11-20';

/** Lists calls, one a second, of which every fifth fails. */
function listLines(spec: string, number: number): LedgerLine[] {
  return Array.from({ length: 400 }, (_, at) => at).flatMap((at): LedgerLine[] => {
    const call = 400 * number + at + 1;
    const estimate = { input: 10, output: 10 };
    const usage = { input: 1_000, output: 100, cachedRead: 250 };
    return [
      {
        event: 'sent',
        call,
        key: `k${call}`,
        spec,
        step: 'user',
        sentAtMs: 1_700_000_000_000 + at * 1_000,
        estimate,
      },
      at % 5 === 0
        ? { event: 'failed', call, kind: 'rate-limit' }
        : { event: 'answered', call, verdict: at % 2 === 0 ? 'bad' : 'good', usage, durationMs: 500 },
    ];
  });
}

async function countUsage(...specs: string[]): Promise<RunUsage> {
  const [counter, tally] = [new TimelineCounter(), new LedgerTally('worker')];
  const lines = counter.watch('worker', stream(specs.flatMap(listLines)));
  for await (const line of lines) tally.add(line);
  return { ledger: tally.rows(), timeline: counter.end(), table: readBuiltInTable() };
}

async function render(usage: RunUsage): Promise<string> {
  const parts = buildUsageParts(await openPen(), usage);
  return omitIsolation(renderPage({ title: 'Usage', facts: listUsageFacts(usage), parts }));
}

test('the cost over time ends with the cost of the whole ledger', async () => {
  const usage = await countUsage(PRICED);
  const page = await render(usage);
  const csv = /download="cost-over-time.csv"\s+href="[^,]*,(?<csv>[^"]*)"/.exec(page)?.groups?.['csv'] ?? '';
  const lines = decodeURIComponent(csv).trim().split('\r\n');
  expect(lines[0]).toBe('minutes,US dollars');
  const { usd } = computeCost(usage.ledger, usage.table);
  expect(usd).toBeGreaterThan(0);
  expect(Number(lines.at(-1)?.split(',')[1])).toBeCloseTo(usd, 9);
  expect(page).toContain('25.0 % of the input was read from a cache.');
});

test('a run of a second has no course over time', async () => {
  const counter = new TimelineCounter();
  for await (const line of counter.watch('worker', stream(listLines(PRICED, 0).slice(2, 4)))) void line;
  const page = await render({ ...(await countUsage(PRICED)), timeline: counter.end() });
  expect(page).not.toContain('over time');
});

test('bad answers and errors stand by step and kind, and facts have the time of the last call', async () => {
  const page = await render(await countUsage(PRICED));
  expect(listTableRows(page).map((row) => row.slice(1, 7))).toContainEqual([
    '320',
    '160',
    '50.0',
    '0',
    '0',
    '80',
  ]);
  expect(page).toContain('rate-limit</th>');
  expect(page).toContain('<dd>2023-11-14 22:19:59 UTC</dd>');
});

test('the cost of a model without a price is unknown', async () => {
  const page = await render(await countUsage('openai-compatible:mine@http://localhost:1/v1'));
  expect(listTableRows(page).flat()).toContain('unknown');
  expect(page).toContain('Without a list price, so not in the sums: openai-compatible:mine.');
  expect(page).not.toContain('localhost');
  expect(page).not.toContain('Cost over time');
});

test('models that differ in their options only stand apart, as in the results', async () => {
  const page = await render(await countUsage('simulated:default', 'simulated:default?malformed=0.05'));
  for (const name of ['simulated:default', 'simulated:default?malformed=0.05']) {
    expect(page).toContain(`<th class="depth-0" scope="row">${name}</th>`);
    expect(page).toContain(`</span>${name}</li>`);
  }
});
