import { type LedgerTotals, computeTotals } from '../../engine/costs/ledger';
import type { ModelState } from '../../workflows/messages';
import type { Savings } from '../../engine/costs/prices';
import type { RunStatus } from '../../runs/status/run-status';
import { describeUnnamed } from '../../runs/tables/results-text';
import { formatAmount, formatCost } from '../../schemas/text/amount-text';
import { formatCount, formatNumber } from '../../schemas/text/count-text';
import type { Ledger } from '../../schemas/run/ledger';
import { sum } from '../../schemas/sum';
import { describeServer } from '../../runs/folder/run-lock';
import { parsePurpose, type RunPurpose } from '../../runs/folder/run-id';
import { describeContinuation, formatCommandOf } from '../command-line';
import { quotePath } from '../../schemas/text/shell-text';
import { getWidth } from '../terminal/width';
import { formatDuration, NOTHING } from '../../schemas/text/numbers';
import { listPresent } from '../../schemas/text/list-present';
import { formatSlowCalls } from '../run/slow-calls';
import { renderTable } from '../../schemas/text/text-table';
import { TRIALS } from '../work-text';
import { wrapText } from '../terminal/wrap';

/**
 * Renders the status of a run for a terminal.
 * @param name name of the run on the command line
 * @param trend lines that show the recent rates
 */
export function renderStatus(status: RunStatus, name: string, trend: readonly string[] = []): string[] {
  const { ledger = [], models, workers } = status;
  const purpose = parsePurpose(status.run) ?? status.kind;
  return listPresent(
    `Run ${status.run} (${purpose}) on the ${status.engine}: ${STATES[status.state]}.`,
    ...renderStanding(status, name),
    ...renderRemaining(status),
    formatLabelled(nameWork(status.work, purpose), formatWork(status)),
    ...renderInFlight(status),
    ...(status.slowCalls ?? []).map((slow, at) =>
      formatLabelled(at === 0 ? 'slow' : '', formatSlowCalls(slow)),
    ),
    status.ledger !== undefined && formatLabelled('calls', formatCalls(computeTotals(ledger), status)),
    ...renderCost(status),
    ...trend,
    ...renderBatches(status.batches),
    ...renderModels(models),
    ...workers.map((worker, at) => formatLabelled(at === 0 ? 'workers' : '', formatWorker(worker, status))),
    ...renderVersions(workers),
    ...(ledger.length === 0 ? [] : ['', ...renderLedger(ledger)]),
  ).flatMap((text) => text.split('\n'));
}

function nameWork({ unit }: RunStatus['work'], purpose: RunPurpose): string {
  if (purpose === 'verification') return 'verified';
  return unit === 'trials' ? 'evaluated' : unit;
}

function formatWorker(
  { worker, inFlight, concurrency, perMinute }: RunStatus['workers'][number],
  status: RunStatus,
): string {
  // A maximum for the whole run is divided among the workers anew in each report.
  const limit = status.concurrency === undefined ? ` of ${formatNumber(concurrency)}` : '';
  const rate = status.perMinute === undefined ? '' : `, ${formatNumber(Math.round(perMinute))} calls/min`;
  return `${worker}: ${formatNumber(inFlight)}${limit} in flight${rate}`;
}

/** Renders the code versions of the workers where they differ: after an update, old workers finish what they began. */
function renderVersions(workers: RunStatus['workers']): string[] {
  const counts = new Map<string, number>();
  for (const { codeVersion } of workers) counts.set(codeVersion, (counts.get(codeVersion) ?? 0) + 1);
  if (counts.size < 2) return [];
  const versions = [...counts].map(([version, count]) => `${version} (${formatCount(count, 'worker')})`);
  return [formatLabelled('versions', versions.join(', '))];
}

const STATES: Readonly<Record<RunStatus['state'], string>> = {
  starting: 'not responding yet',
  running: 'running',
  paused: 'paused',
  stopped: 'stopped',
  finished: 'finished',
  unattended: 'no worker responds',
  ended: 'ended without a result',
};

/** Explains the state of the run, and how to continue it. */
function renderStanding(status: RunStatus, name: string): string[] {
  const { state, run, driver, engineProblem, pause, misconfiguration, work } = status;
  const pausing = AT_REST.has(state) ? 'It will start paused.' : 'Paused. No new call is sent.';
  return listPresent(
    pause?.by === 'user' && `${pausing} Resume it with: cupid resume ${quotePath(name)}`,
    pause?.by === 'budget' &&
      `Paused because its budget is spent. Everything is kept. Raise the budget to continue: cupid set ${quotePath(name)} --budget …`,
    misconfiguration !== undefined && `Stopping because the configuration is invalid: ${misconfiguration}`,
    driver?.command === 'server' &&
      `Process ${driver.pid} on ${driver.host} is using the folder. ${describeServer(driver)}`,
    (state === 'stopped' || state === 'ended') &&
      `Nothing is lost. ${describeContinuation({ id: run, name }, isBudgetSpent(status) ? 'budget' : undefined)}`,
    work.unnamed !== undefined && describeUnnamed(work.unnamed),
    state === 'unattended' &&
      `Nothing is lost. The run continues once a worker responds, or when you repeat its ${formatCommandOf(run)} command on its folder.`,
    state === 'starting' &&
      driver !== undefined &&
      engineProblem === undefined &&
      `Process ${driver.pid} on ${driver.host} is using the folder, but the run does not respond: it is starting or ending. The figures come from the folder.`,
    engineProblem,
  );
}

/** Returns true if the run would pause at once when it continues. */
function isBudgetSpent({ budget }: RunStatus): boolean {
  return budget !== undefined && budget.spent >= budget.cap;
}

/** States in which no process works for the run. */
export const AT_REST: ReadonlySet<RunStatus['state']> = new Set(['stopped', 'finished', 'ended']);

function formatWork({ work, kind }: RunStatus): string {
  const { unit, all, finished, failed, open, building } = work;
  if (finished === undefined) return all === undefined ? 'not known' : `${formatNumber(all)} in total`;
  const failing =
    failed === undefined
      ? ''
      : kind === 'synthesis'
        ? `, ${formatNumber(failed)} failed`
        : `, ${formatCount(failed, 'call')} without a usable answer`;
  return listPresent(
    `${formatNumber(finished)}${all === undefined ? '' : ` of ${formatNumber(all)}`}${unit === 'trials' ? ` (${TRIALS})` : ' done'}${failing}`,
    open !== undefined && `${formatNumber(open)} in progress`,
    building && 'writing data sets',
  ).join(', ');
}

function renderInFlight({ inFlight, concurrency, workers }: RunStatus): string[] {
  if (inFlight === undefined) return [];
  const calls = Object.entries(inFlight.calls).filter(([, count]) => count > 0);
  const limit = concurrency ?? workers.reduce((all, worker) => all + worker.concurrency, 0);
  const total = `${formatCount(inFlight.total, 'call')} of ${formatNumber(limit)} at most`;
  const bySteps = calls.map(([step, count]) => `${formatNumber(count)} ${step}`).join(', ');
  const dialogues = inFlight.dialogues === undefined ? [] : [formatCount(inFlight.dialogues, 'dialogue')];
  return [
    formatLabelled('in flight', [...dialogues, `${total}${bySteps === '' ? '' : `: ${bySteps}`}`].join('; ')),
  ];
}

function formatCalls(totals: LedgerTotals, { perMinute }: RunStatus): string {
  const {
    calls,
    badAnswers,
    refusals,
    lostCalls,
    failures,
    uncountedCalls,
    separatedAnswers = 0,
    trimmedAnswers = 0,
  } = totals;
  const errors = Object.entries(failures);
  const errorText =
    errors.length === 0
      ? 'no errors'
      : `${formatCount(sum(Object.values(failures)), 'error')} (${errors.map(([kind, count]) => `${formatNumber(count)} ${kind}`).join(', ')})`;
  return listPresent(
    `${formatNumber(calls)} answered`,
    perMinute !== undefined && `${formatNumber(Math.round(perMinute))} per minute`,
    formatCount(badAnswers, 'bad answer'),
    separatedAnswers !== 0 && `reasoning separated from ${formatNumber(separatedAnswers)}`,
    trimmedAnswers !== 0 && `special tokens or invented turns cut off from ${formatNumber(trimmedAnswers)}`,
    refusals !== 0 && `${formatNumber(refusals)} refused`,
    errorText,
    uncountedCalls !== 0 && `${formatNumber(uncountedCalls)} without reported usage (charged at estimates)`,
    lostCalls !== 0 && `${formatNumber(lostCalls)} without a usable answer (counted as charged)`,
  ).join(', ');
}

function renderCost({ cost, budget }: RunStatus): string[] {
  if (cost === undefined) return [];
  const { usd, unpricedModels, pricesCheckedOn, savings } = cost;
  const prices = pricesCheckedOn === undefined ? '' : ` at prices of ${pricesCheckedOn}`;
  const missing = unpricedModels.length === 0 ? '' : `; without a price: ${unpricedModels.join(', ')}`;
  const text = `${formatCost(usd, unpricedModels.length > 0)}${prices}${formatSavings(savings)}${missing}`;
  if (budget === undefined) return [formatLabelled('cost', text)];
  const { unit, cap, spent, reserved, remaining } = budget;
  const reservation = reserved > 0 ? `, ${formatAmount(reserved, unit)} reserved for calls in flight` : '';
  return [
    formatLabelled('cost', text),
    formatLabelled(
      'budget',
      `${formatAmount(remaining, unit)} left of ${formatAmount(cap, unit)}: ${formatAmount(spent, unit)} spent${reservation}`,
    ),
  ];
}

/** Formats the cached share of the input, and the savings by caching and cheaper tiers. */
function formatSavings({ cachedShare, cachingUsd, tierUsd }: Savings): string {
  const cached =
    cachedShare === undefined ? [] : [`${Math.round(cachedShare * 100)} % of the input was cached`];
  const saved = cachingUsd >= 0 ? 'saved' : 'added';
  const caching = cachingUsd === 0 ? [] : [`caching ${saved} ${formatAmount(Math.abs(cachingUsd), 'usd')}`];
  const tier = tierUsd === 0 ? [] : [`cheaper tiers saved ${formatAmount(tierUsd, 'usd')}`];
  return [...cached, ...caching, ...tier].map((part) => `; ${part}`).join('');
}

function renderRemaining({ state, projection, cost }: RunStatus): string[] {
  if (projection === undefined) return [];
  const { callsLeft, calls, usd, secondsLeft } = projection;
  const qualifier = (cost?.unpricedModels.length ?? 0) > 0 ? 'at least ' : 'about ';
  const money = usd > 0 ? ` and ${qualifier}${formatAmount(usd, 'usd')}` : '';
  const time =
    state !== 'running'
      ? ''
      : secondsLeft === undefined
        ? 'time not known yet, '
        : `about ${formatDuration(secondsLeft)}, `;
  return [
    formatLabelled(
      'left',
      `${time}about ${formatCount(callsLeft, 'call')}; about ${formatCount(calls, 'call')}${money} in total`,
    ),
  ];
}

function renderBatches(batches: RunStatus['batches']): string[] {
  return batches.map(
    ({ id, spec, step, requests, answers, submission, cancelledBy, duplicates = [] }, at) => {
      const state =
        submission === undefined
          ? 'not sent yet'
          : `${answers === undefined ? '' : `${formatNumber(answers)} answered, `}sent ${new Date(submission.sentAtMs).toISOString().slice(0, 16).replace('T', ' ')} UTC${cancelledBy === undefined ? '' : ', being cancelled'}${duplicates.length === 0 ? '' : `, received ${duplicates.length + 1} times: the oldest counts, the others are cancelled`}`;
      const text = `${id}: ${formatCount(requests, 'request')} of ${step} to ${spec}, ${state}`;
      return formatLabelled(at === 0 ? 'batches' : '', text);
    },
  );
}

/** Renders the models that are limited, waiting or unavailable. */
function renderModels(models: RunStatus['models']): string[] {
  return models
    .map((model) => [model.spec, ...listModelStates(model)])
    .filter(([, ...states]) => states.length > 0)
    .map(([spec, ...states], at) =>
      formatLabelled(at === 0 ? 'models' : '', `${spec}: ${states.join('; ')}`),
    );
}

function listModelStates(model: RunStatus['models'][number]): string[] {
  const limits = formatLimits(model.limits);
  const { outage, backoffMs, quota, adaptiveLimit, requestsLastMinute = 0, tokensLastMinute = 0 } = model;
  return listPresent(
    limits,
    limits !== undefined &&
      requestsLastMinute !== 0 &&
      `last minute ${formatCount(requestsLastMinute, 'request')}, ${formatAmount(tokensLastMinute, 'tokens')}`,
    adaptiveLimit !== undefined &&
      `held at ${formatNumber(adaptiveLimit)} in flight, because the provider answers 429 above that`,
    backoffMs !== undefined &&
      `${quota === undefined ? 'the provider asked us to wait' : `${quota}; the next call is sent in`} ${formatDuration(backoffMs / 1_000)}`,
    outage !== undefined &&
      `unavailable since ${outage.since} (${outage.cause}); one call is sent every few seconds until it answers`,
  );
}

/** Formats the limits of a model. Undefined if it has none. */
export function formatLimits({
  requestsPerMinute,
  tokensPerMinute,
  inFlight,
}: ModelState['limits']): string | undefined {
  const limits = listPresent(
    requestsPerMinute !== undefined && `${formatNumber(requestsPerMinute)} requests/min`,
    tokensPerMinute !== undefined && `${formatAmount(tokensPerMinute, 'tokens')}/min`,
    inFlight !== undefined && `${formatNumber(inFlight)} in flight`,
  );
  return limits.length === 0 ? undefined : `at most ${limits.join(', ')}`;
}

/** Renders calls and tokens by model and step. The step shows the model's role. */
function renderLedger(ledger: Ledger): string[] {
  const columns = [
    { title: 'calls' },
    { title: 'bad' },
    { title: 'errors' },
    { title: 'in', group: 'tokens' },
    { title: 'cached', group: 'tokens' },
    { title: 'out', group: 'tokens' },
    { title: 's/call' },
  ];
  const specs = [...new Set(ledger.map(({ spec }) => spec))];
  const rows = specs.flatMap((spec) => {
    const modelRows = ledger.filter((row) => row.spec === spec);
    return [
      { name: spec, cells: buildTotalCells(computeTotals(modelRows)) },
      ...(modelRows.length === 1
        ? []
        : modelRows.map((row) => ({ name: row.step, depth: 1, cells: buildTotalCells(row) }))),
    ];
  });
  return renderTable({ names: 'model, step', columns, rows }, getWidth(100));
}

function buildTotalCells(totals: LedgerTotals): string[] {
  const { calls, badAnswers, failures, input, cachedRead, output, uncountedCalls, durationMs } = totals;
  // The sums are a lower bound if a provider did not report tokens.
  const sign = uncountedCalls > 0 ? '≥' : '';
  return [
    formatNumber(calls),
    formatNumber(badAnswers),
    formatNumber(sum(Object.values(failures))),
    `${sign}${formatNumber(input)}`,
    cachedRead === undefined ? NOTHING : formatNumber(cachedRead),
    `${sign}${formatNumber(output)}`,
    calls === 0 ? NOTHING : (durationMs / 1_000 / calls).toFixed(1),
  ];
}

/** Formats a line, on a terminal wrapped beside its label. */
function formatLabelled(label: string, text: string): string {
  const lines = wrapText(text, getWidth() - 11);
  return lines.map((line, at) => `${(at === 0 ? label : '').padEnd(10)} ${line}`).join('\n');
}
