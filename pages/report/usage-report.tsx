import { createAnswerLookup, readLedgerLines } from '../../data/run/ledger';
import { openJournal } from '../../data/run/journal';
import { buildModelTable } from '../../data/model-table';
import { readSteering } from '../../data/run/steering';
import type { Store } from '../../data/store/store';
import { computeTotals, mergeWorkerLedgers, settleLedgers } from '../../engine/costs/ledger';
import { computeCost, computeSavings, findOldestPriceDate } from '../../engine/costs/prices';
import { TimelineCounter, type UsageTimeline } from '../../engine/costs/timeline';
import { formatAmount, formatCost } from '../../schemas/text/amount-text';
import { formatNumber } from '../../schemas/text/count-text';
import { formatDuration, formatPercent } from '../../schemas/text/numbers';
import { groupBy } from '../../rules/group-by';
import { buildCallTable, createNaming } from '../../runs/tables/usage';
import type { ModelTable } from '../../schemas/model/model-table';
import type { Ledger } from '../../schemas/run/ledger';
import { Figures } from '../parts/figure';
import { NumberTable } from '../parts/table';
import { Notes } from '../parts/text';
import {
  buildSeries,
  buildSeriesScales,
  computeLabelMargin,
  drawLegend,
  LEAST_POINTS,
  type Pen,
} from '../charts/drawing';
import type { Figure } from '../charts/figure';
import type { Report, ReportPart } from './page';

/** Usage of a run's calls, in all and over time. */
export interface RunUsage {
  readonly ledger: Ledger;
  readonly timeline: UsageTimeline;
  readonly table: ModelTable;
}

/** @param isLive whether calls in flight may still be answered; if so, they are not counted */
export async function readUsage(store: Store, isLive: boolean): Promise<RunUsage> {
  const counter = new TimelineCounter();
  const workerLedgers = (await readLedgerLines(store)).map(({ worker, lines }) => ({
    worker,
    lines: counter.watch(worker, lines),
  }));
  const lookUp = createAnswerLookup(openJournal(store));
  const ledgers = await settleLedgers(workerLedgers, isLive ? 'all' : [], lookUp);
  return {
    ledger: mergeWorkerLedgers(ledgers),
    timeline: counter.end(),
    table: buildModelTable(await readSteering(store)),
  };
}

/** Lists the calls behind a report, because a later report of the same run has more. */
export function listUsageFacts({ ledger, timeline: { lastMs } }: RunUsage): Report['facts'] {
  return [
    ['Calls answered', formatNumber(computeTotals(ledger).calls)],
    ...(lastMs === undefined
      ? []
      : [
          [
            'Last call ended',
            `${new Date(lastMs).toISOString().slice(0, 19).replace('T', ' ')} UTC`,
          ] as const,
        ]),
  ];
}

/** Builds the part about answers, errors and cost by model and step, and over time. */
export function buildUsageParts(pen: Pen, usage: RunUsage): ReportPart[] {
  const { ledger, timeline, table } = usage;
  if (ledger.length === 0) return [];
  const specs = ledger.map(({ spec }) => spec);
  const { usd, unpricedModels } = computeCost(ledger, table);
  const { cachedShare, cachingUsd, tierUsd } = computeSavings(ledger, table);
  const checked = findOldestPriceDate(specs, table);
  return [
    {
      title: 'Calls, errors and cost',
      blocks: [
        <Figures figures={[...drawBadAnswers(pen, ledger), ...drawTimeline(pen, timeline, table)]} />,
        <NumberTable table={buildCallTable(ledger, table)} />,
        <Notes
          lines={[
            'Bad answers are those that a check rejected; the model is asked again with the reason. Lost calls were in flight when their process died or timed out: they may have been paid for.',
            `Costs are estimates in US dollars, ${formatCost(usd, unpricedModels.length > 0)} in all: tokens times list prices${checked === undefined ? '' : ` of ${checked}`}. The amounts billed may differ.`,
            ...(unpricedModels.length === 0
              ? []
              : [`Without a list price, so not in the sums: ${unpricedModels.join(', ')}.`]),
            ...(cachedShare === undefined
              ? []
              : [`${formatPercent(cachedShare)} % of the input was read from a cache.`]),
            ...(cachingUsd === 0
              ? []
              : [
                  `Caching ${cachingUsd > 0 ? 'saved' : 'added'} ${formatAmount(Math.abs(cachingUsd), 'usd')}.`,
                ]),
            ...(tierUsd === 0 ? [] : [`Cheaper tiers saved ${formatAmount(tierUsd, 'usd')}.`]),
          ]}
        />,
      ],
    },
  ];
}

/** Draws the share of bad answers of each step, with a shape for each model. */
function drawBadAnswers(pen: Pen, ledger: Ledger): Figure[] {
  const { plot, draw } = pen;
  const nameModel = createNaming(ledger);
  const points = [...groupBy(ledger, ({ spec, step }) => `${step} ${spec}`).values()].flatMap((rows) => {
    const [first] = rows;
    const { calls, badAnswers } = computeTotals(rows);
    if (first === undefined || calls === 0 || first.step === 'check') return [];
    return [{ model: nameModel(first), step: first.step, calls, badAnswers, share: badAnswers / calls }];
  });
  if (points.every(({ badAnswers }) => badAnswers === 0)) return [];
  const steps = [...new Set(points.map(({ step }) => step))];
  const series = buildSeries(points.map(({ model }) => model));
  const title = 'Bad answers';
  const note = 'Share of the answers of each step that a check rejected.';
  return [
    {
      name: 'bad-answers',
      title,
      note,
      legend: drawLegend(pen, series),
      drawing: draw(`${title}. ${note}`, {
        height: 50 + 26 * steps.length,
        marginLeft: computeLabelMargin(steps),
        marginRight: 30,
        x: { label: 'bad answers (%)', grid: true, nice: true, zero: true },
        y: { domain: steps, label: null },
        ...buildSeriesScales(series),
        marks: [
          plot.ruleX([0]),
          plot.ruleY(points, {
            y: 'step',
            x1: 0,
            x2: ({ share }: { readonly share: number }) => 100 * share,
            strokeOpacity: 0.35,
          }),
          plot.dot(points, {
            x: ({ share }: { readonly share: number }) => 100 * share,
            y: 'step',
            stroke: 'model',
            fill: 'model',
            symbol: 'model',
            r: 4.5,
          }),
        ],
      }),
      columns: ['model', 'step', 'answers', 'bad', 'share'],
      rows: points.map(({ model, step, calls, badAnswers, share }) => [
        model,
        step,
        calls,
        badAnswers,
        share,
      ]),
    },
  ];
}

const SECONDS = { name: 'seconds', ms: 1_000 };
/** The first unit that gives at least three intervals is used. */
const UNITS = [{ name: 'hours', ms: 3_600_000 }, { name: 'minutes', ms: 60_000 }, SECONDS];

/** Draws calls and errors per interval, and the cost so far. */
function drawTimeline(pen: Pen, { stepMs, stretches }: UsageTimeline, table: ModelTable): Figure[] {
  const { plot, draw } = pen;
  if (stretches.length < LEAST_POINTS) return [];
  const unit = UNITS.find(({ ms }) => stretches.length * stepMs >= 3 * ms) ?? SECONDS;
  let spentUsd = 0;
  const points = stretches.map((ledger, at) => {
    const { calls, failures } = computeTotals(ledger);
    spentUsd += computeCost(ledger, table).usd;
    const errors = Object.values(failures).reduce((sum, count) => sum + count, 0);
    return { time: ((at + 1) * stepMs) / unit.ms, calls, errors, usd: spentUsd };
  });
  const span = formatDuration(stepMs / 1_000);
  const omission = 'Time without calls is left out.';
  const x = { label: `${unit.name} with calls`, zero: true, ticks: Math.min(10, points.length) };
  const series = buildSeries(['calls', 'errors']);
  const bySeries = (['calls', 'errors'] as const).flatMap((name) =>
    [{ time: 0, calls: points[0]?.calls ?? 0, errors: points[0]?.errors ?? 0 }, ...points].map((point) => ({
      series: name,
      time: point.time,
      count: point[name],
    })),
  );
  const speed: Figure = {
    name: 'calls-over-time',
    title: 'Calls over time',
    note: `Answered calls and errors in each ${span}. ${omission}`,
    legend: drawLegend(pen, series, 'line'),
    drawing: draw('Answered calls and errors over time', {
      height: 220,
      marginLeft: 56,
      x,
      y: { label: `in ${span}`, grid: true, nice: true, zero: true },
      ...buildSeriesScales(series),
      marks: [
        plot.lineY(bySeries, { x: 'time', y: 'count', stroke: 'series', curve: 'step-before' }),
        plot.dot(
          bySeries.filter((_, at) => at % Math.ceil(points.length / 12) === 0),
          { x: 'time', y: 'count', stroke: 'series', fill: 'series', symbol: 'series', r: 3 },
        ),
      ],
    }),
    columns: [unit.name, 'calls', 'errors'],
    rows: points.map(({ time, calls, errors }) => [time, calls, errors]),
  };
  if (spentUsd === 0) return [speed];
  const cost: Figure = {
    name: 'cost-over-time',
    title: 'Cost over time',
    note: `US dollars spent so far, at list prices. ${omission}`,
    drawing: draw('Cost over time', {
      height: 220,
      marginLeft: 56,
      x,
      y: { label: 'US dollars', grid: true, nice: true, zero: true },
      marks: [
        plot.lineY([{ time: 0, usd: 0 }, ...points], {
          x: 'time',
          y: 'usd',
          stroke: 'var(--s1)',
          strokeWidth: 1.75,
        }),
      ],
    }),
    columns: [unit.name, 'US dollars'],
    rows: points.map(({ time, usd }) => [time, usd]),
  };
  return [cost, speed];
}
