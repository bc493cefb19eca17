/**
 * Checks that the Grafana dashboard and the alerts have data. A real Prometheus (Debian's package `prometheus`) scrapes a run once a second; its
 * model, the stand-in, limits, fails and caches. Then every query of the dashboard and every expression of the alerts runs over the time of the
 * run. promtool checks configuration and rules, and the last scraped counters are compared with the run's ledger. Ends with code 1 if a panel has
 * no data or a number differs.
 *
 *   npm run build && node bench/dashboard.mjs [--personas N]
 */
import { execFileSync, spawn } from 'node:child_process';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { parse } from 'yaml';
import { loadTypeScript } from './shared/load-typescript.mjs';
import { readOptions } from './shared/options.mjs';
import { describeMachine, makeFolder, ROOT, startCommand, synthesisOf, until } from './shared/processes.mjs';
import { printTable } from './shared/table.mjs';

const { personas } = readOptions({ personas: 6 });
const DEPLOY = join(ROOT, 'deploy');
const [METRICS, PROMETHEUS] = ['127.0.0.1:19464', 'http://127.0.0.1:19090'];

for (const check of [
  ['check', 'config', 'prometheus.yaml'],
  ['check', 'rules', 'alerts.yaml'],
  ['test', 'rules', 'alerts-test.yaml'],
])
  execFileSync('promtool', check, { cwd: DEPLOY, stdio: 'inherit' });

const folder = makeFolder();
const config = parse(readFileSync(join(DEPLOY, 'prometheus.yaml'), 'utf8'));
config.global = { scrape_interval: '1s', evaluation_interval: '1s' };
config.rule_files = [join(DEPLOY, 'alerts.yaml')];
config.scrape_configs[0].static_configs[0].targets = [METRICS];
writeFileSync(join(folder, 'prometheus.yaml'), JSON.stringify(config));
const prometheus = spawn(
  'prometheus',
  [
    '--config.file',
    'prometheus.yaml',
    '--storage.tsdb.path',
    'data',
    '--web.listen-address',
    PROMETHEUS.slice(7),
  ],
  { cwd: folder, stdio: 'ignore' },
);
process.on('exit', () => prometheus.kill('SIGKILL'));
await until(async () => (await fetch(`${PROMETHEUS}/-/ready`).catch(() => undefined))?.ok === true, 200);

const { startStandIn } = loadTypeScript(join('test', 'stand-in', 'chat-server.ts'));
const { PrefixCache } = loadTypeScript(join('test', 'stand-in', 'prefix-cache.ts'));
const standIn = await startStandIn({
  latency: 300,
  simulated: { malformed: '0.08' },
  cache: new PrefixCache(),
});
standIn.fault = (request) => {
  if (request % 25 === 24) return { status: 429, retryAfter: 0.2 };
  return request % 40 === 30 ? { status: 503 } : undefined;
};
const prices = [
  {
    model: 'openai-compatible:stand-in',
    checked: '2026-11-24',
    source: 'bench',
    prices: { standard: { input: 1, output: 4 } },
  },
];
writeFileSync(join(folder, 'models.json'), JSON.stringify(prices));

const runFolder = join(folder, 'run');
const from = Date.now();
const limits = ['--models', join(folder, 'models.json'), '--concurrency', '8', '--budget', '50usd'];
const synth = () =>
  startCommand(synthesisOf(runFolder, standIn.spec, personas, ...limits, '--telemetry', METRICS), {
    runFolder,
  });
// Stopped once, so that the second process has answers from the journal.
const first = synth();
await until(() => standIn.received.length > 300, 200);
first.child.kill('SIGINT');
await first.ended;
const between = Date.now();
const second = synth();
const { code } = await second.ended;
if (code !== 0) throw new Error(second.output());
const to = Date.now();
await wait(1_500);
await standIn.goDown();

let failed = false;
const fail = (what) => {
  failed = true;
  return what;
};

const { panels } = JSON.parse(readFileSync(join(DEPLOY, 'grafana', 'cupid.json'), 'utf8'));
const rows = [];
for (const { title, targets = [] } of panels) {
  for (const { expr } of targets) {
    const query = expr.replaceAll('$__rate_interval', '10s').replaceAll(/\$(job|instance|model)/g, '.+');
    const series = await queryRange(query);
    const points = series.reduce(
      (sum, { values: of }) => sum + of.filter(([, value]) => value !== 'NaN').length,
      0,
    );
    rows.push({ panel: title, series: series.length, points: points === 0 ? fail('none') : points });
  }
}
for (const { alert, expr } of parse(readFileSync(join(DEPLOY, 'alerts.yaml'), 'utf8')).groups[0].rules) {
  // The threshold is removed, because a healthy run stays below it.
  const query = expr
    .replace(/\s(?:>|==) [\d.]+\s*$/, '')
    .replaceAll(/\[\d+m\]/g, '[10s]')
    .split(/\bunless\b/)[0]
    .replace(/ > 0\s*$/, '');
  const series = await queryRange(query);
  rows.push({
    panel: `alert ${alert}`,
    series: series.length,
    points: series.length === 0 ? fail('none') : series[0].values.length,
  });
}
printTable(
  `Dashboard and alerts: ${personas} personas, ${standIn.received.length} requests. ${describeMachine()}`,
  rows,
);

/** The last value of every counter. */
const scraped = {};
for (const [name, filter] of [
  ['answered', 'outcome!="failed"'],
  ['bad', 'outcome="bad"'],
  ['failed', 'outcome="failed"'],
]) {
  scraped[name] = await sumOfLast(`cupid_calls_total{${filter}}`);
}
for (const type of ['input', 'output', 'cached_read'])
  scraped[type] = await sumOfLast(`cupid_tokens_total{type="${type}"}`);
const ledger = readLedger();
printTable(
  'Last scraped values and the ledger',
  Object.keys(ledger).map((name) => ({
    count: name,
    scraped: scraped[name],
    ledger: ledger[name],
    equal: scraped[name] === ledger[name] ? 'yes' : fail('no'),
  })),
);
process.exit(failed ? 1 : 0);

async function queryRange(query) {
  const parameters = new URLSearchParams({
    query,
    start: String(from / 1000),
    end: String(to / 1000),
    step: '1',
  });
  const response = await fetch(`${PROMETHEUS}/api/v1/query_range?${parameters}`);
  const { status, data, error } = await response.json();
  if (status !== 'success') throw new Error(`${query}: ${error}`);
  return data.result;
}

/** Adds up both processes, each of which counts from 0. */
async function sumOfLast(selector) {
  let sum = 0;
  for (const [begin, end] of [
    [from, between],
    [between, to + 1_000],
  ]) {
    const query = `sum(last_over_time(${selector}[${end - begin}ms]))`;
    const response = await fetch(
      `${PROMETHEUS}/api/v1/query?${new URLSearchParams({ query, time: String(end / 1000) })}`,
    );
    const { data } = await response.json();
    sum += Number(data.result[0]?.value[1] ?? 0);
  }
  return sum;
}

function readLedger() {
  const sums = { answered: 0, bad: 0, failed: 0, input: 0, output: 0, cached_read: 0 };
  const ledgers = join(runFolder, '.cupid', 'ledger');
  for (const file of readdirSync(ledgers)) {
    for (const text of readFileSync(join(ledgers, file), 'utf8').trimEnd().split('\n')) {
      const { event, verdict, usage = {} } = JSON.parse(text);
      if (event === 'failed') sums.failed += 1;
      if (event !== 'answered') continue;
      sums.answered += 1;
      if (verdict === 'bad') sums.bad += 1;
      sums.input += usage.input ?? 0;
      sums.output += usage.output ?? 0;
      sums.cached_read += usage.cachedRead ?? 0;
    }
  }
  return sums;
}
