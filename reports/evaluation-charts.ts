import { readPaperNumbers, type PaperModel } from '../data/paper';
import { isComparable } from '../evaluations/paper-setup';
import type { EvaluationResults } from '../evaluations/results';
import { formatPercent, formatScore, type Interval } from '../formatting/numbers';
import { groupBy } from '../rules/group-by';
import {
  buildSeries,
  buildSeriesScales,
  computeLabelMargin,
  LABEL_SIDES,
  listSides,
  placeLabels,
  shortenName,
  WIDTH,
  type Figure,
  type Pen,
} from './drawing';
import { GIVEN_WORDS } from './tables/results';
import { formatEvaluation, formatMatchers } from './tables/section';

type Cell = EvaluationResults['cells'][number];
type Task = Cell['task'];

/** Scores of the models, with those of the paper's models where the set-up is the paper's (figure 8). */
export function drawScores(pen: Pen, cells: readonly Cell[]): Figure[] {
  const ofTask = (task: Task) => cells.filter((cell) => cell.task === task);
  const bySetting = groupBy(ofTask('inference'), (cell) =>
    JSON.stringify([cell.context, formatEvaluation(cell)]),
  );
  const byJudge = groupBy(ofTask('generation'), formatEvaluation);
  return [
    ...[...bySetting.values()].flatMap((own) => drawInference(pen, own)),
    ...[...byJudge.values()].flatMap((own) => drawGeneration(pen, own)),
  ];
}

/** A number of a model in a chart; those of the paper have no interval. */
interface Mark {
  readonly model: string;
  readonly measure: string;
  readonly value: number;
  readonly interval: Interval | null;
  readonly isPaper: boolean;
}

function drawInference(pen: Pen, cells: readonly Cell[]): Figure[] {
  const [first] = cells;
  if (first === undefined) return [];
  const { context, evaluator_form: form } = first;
  const paper =
    form !== 'judge' && context !== 'preference' && cells.every(({ setup }) => isComparable(setup))
      ? listPaperMarks(({ inference }) => {
          const scores = inference[form][context]?.all;
          return scores === undefined ? [] : listMeasures(scores);
        })
      : [];
  const marks = cells.flatMap(({ model, all: { inference } }): Mark[] =>
    inference === null
      ? []
      : listMeasures(inference).flatMap(([measure, value]) =>
          value === null
            ? []
            : [
                {
                  model,
                  measure,
                  value,
                  interval: inference.intervals[MEASURE_KEYS[measure]],
                  isPaper: false,
                },
              ],
        ),
  );
  return drawMarks(pen, [...marks, ...paper], {
    name: `figure-8-inference-${context}`,
    title: `Inference ${GIVEN_WORDS[context]} (figure 8)`,
    note: `Micro averages over all instances, ${formatMatchers(first)}; bars are 95 % intervals.`,
    scale: 100,
    domain: [0, 100],
    axis: 'micro average (%)',
    text: formatPercent,
    labelled: 'F1',
  });
}

const MEASURE_KEYS = { F1: 'f1', precision: 'precision', recall: 'recall' } as const;

function listMeasures<Value extends number | null>(scores: {
  readonly f1: Value;
  readonly precision: Value;
  readonly recall: Value;
}): [keyof typeof MEASURE_KEYS, Value][] {
  return [
    ['F1', scores.f1],
    ['precision', scores.precision],
    ['recall', scores.recall],
  ];
}

function drawGeneration(pen: Pen, cells: readonly Cell[]): Figure[] {
  const [first] = cells;
  if (first === undefined) return [];
  const contexts = new Set(cells.map(({ context }) => context));
  const paper = cells.every(({ setup }) => isComparable(setup))
    ? listPaperMarks(({ generation }) =>
        [...contexts].flatMap((context): [string, number][] => {
          const score = generation[context]?.all;
          return score === undefined ? [] : [[context, score]];
        }),
      )
    : [];
  const marks = cells.flatMap(({ model, context, all: { generation } }): Mark[] =>
    generation === null || generation.average_score === null
      ? []
      : [
          {
            model,
            measure: context,
            value: generation.average_score,
            interval: generation.intervals.average_score,
            isPaper: false,
          },
        ],
  );
  return drawMarks(pen, [...marks, ...paper], {
    name: `figure-8-generation-${slug(first.evaluator)}`,
    title: 'Generation (figure 8)',
    note: `Mean score from 1 to 10 over all instances, by what the model was given, judged by ${first.evaluator}; bars are 95 % intervals.`,
    scale: 1,
    domain: [0, 10],
    axis: 'mean score',
    text: formatScore,
  });
}

function listPaperMarks(listOf: (model: PaperModel) => readonly (readonly [string, number])[]): Mark[] {
  return readPaperNumbers().models.flatMap((model) =>
    listOf(model).map(([measure, value]) => ({
      model: `${model.name}${PAPER}`,
      measure,
      value,
      interval: null,
      isPaper: true,
    })),
  );
}

/** Distinguishes a model of the paper from one's own of the same name. */
const PAPER = ' (paper)';

interface MarksLayout extends Pick<Figure, 'name' | 'title' | 'note'> {
  /** By which the values are multiplied to be shown. */
  readonly scale: number;
  readonly domain: [number, number];
  readonly axis: string;
  readonly text: (value: number) => string;
  /** The measure whose numbers are written beside it; all of them where absent. */
  readonly labelled?: string;
}

/** Models beneath each other, a shape for each measure. */
function drawMarks(
  { plot, draw }: Pen,
  marks: readonly Mark[],
  { name, title, note, scale, domain, axis, text, labelled }: MarksLayout,
): Figure[] {
  if (marks.length === 0) return [];
  const series = buildSeries(marks.map(({ measure }) => measure));
  const models = [...new Set(marks.map(({ model }) => model))];
  const shown = marks.map((mark) => ({
    ...mark,
    x: mark.value * scale,
    low: (mark.interval?.low ?? mark.value) * scale,
    high: (mark.interval?.high ?? mark.value) * scale,
  }));
  // Beneath each other, so that no interval covers another.
  const drawn = series.map((one, at) => ({
    dy: (at - (series.length - 1) / 2) * MEASURE_GAP,
    ...one,
    own: shown.filter(({ measure }) => measure === one.name),
  }));
  const drawing = draw(`${title}. ${note}`, {
    height: 60 + (22 + MEASURE_GAP * series.length) * models.length,
    marginLeft: computeLabelMargin(models),
    marginRight: 28,
    x: { domain, label: axis, grid: true },
    y: { domain: models, label: null, tickFormat: shortenName },
    ...buildSeriesScales(series),
    marks: drawn.flatMap(({ dy, own, name: measure }) => [
      plot.ruleY(
        own.filter(({ interval }) => interval !== null),
        { dy, y: 'model', x1: 'low', x2: 'high', stroke: 'measure', strokeWidth: 1.75 },
      ),
      ...[false, true].map((isPaper) =>
        plot.dot(
          own.filter((mark) => mark.isPaper === isPaper),
          {
            dy,
            x: 'x',
            y: 'model',
            symbol: 'measure',
            stroke: 'measure',
            fill: isPaper ? 'var(--page)' : 'measure',
            r: 4.5,
          },
        ),
      ),
      ...(labelled === undefined || labelled === measure
        ? [
            plot.text(own, {
              x: 'high',
              y: 'model',
              text: ({ value }: Mark) => text(value),
              textAnchor: 'start',
              dx: 9,
              dy,
            }),
          ]
        : []),
    ]),
  });
  return [
    {
      name,
      title,
      note: marks.some(({ isPaper }) => isPaper)
        ? `${note} Outlined: the paper's numbers, which have no intervals.`
        : note,
      drawing,
      legend: series,
      columns: ['model', 'measure', 'value', '95 % from', 'to'],
      rows: marks.map(({ model, measure, value, interval }) => [
        model,
        measure,
        value,
        interval?.low ?? null,
        interval?.high ?? null,
      ]),
    },
  ];
}

/** Pixels between the measures of a model. */
const MEASURE_GAP = 11;

/** Mean result of all models by mean position of the relevant sessions (figure 3). */
export function drawPositions(
  pen: Pen,
  { settings }: EvaluationResults['analyses']['by_position'],
): Figure[] {
  const shown = settings.filter(({ points }) => points.length > 1);
  return [...groupBy(shown, formatEvaluation)].map(([line, own]) => {
    const task = own[0]?.task ?? 'inference';
    return drawLines(pen, {
      name: `figure-3-${task}-${slug(own[0]?.evaluator ?? '')}`,
      title: 'Position of the relevant sessions (figure 3)',
      note: `${line}: mean ${task === 'inference' ? 'F1' : 'score'} over all models by mean position in the history, from 1; larger marks are more instances.`,
      task,
      axis: 'mean position of the relevant sessions',
      column: 'position',
      measured: task === 'inference' ? 'mean F1' : 'mean score',
      points: own.flatMap(({ context, points }) =>
        points.map(({ position, mean, n_instances }) => ({
          series: GIVEN_WORDS[context],
          x: position,
          value: mean,
          count: n_instances,
        })),
      ),
    });
  });
}

/** Results of each model by the length of the history (figure 9). */
export function drawLengths(
  pen: Pen,
  { cells }: EvaluationResults['analyses']['by_length'],
  tokenizer: string,
): Figure[] {
  const settings = groupBy(cells, (cell) => JSON.stringify([cell.context, formatEvaluation(cell)]));
  return [...settings.values()].flatMap((own) => {
    const [first] = own;
    if (first === undefined || first.bins.length < 2) return [];
    const { task, context } = first;
    return [
      drawLines(pen, {
        name: `figure-9-${task}-${context}-${slug(first.evaluator)}`,
        title: `Length of the history (figure 9)`,
        note: `${formatEvaluation(first)}, ${GIVEN_WORDS[context]}: ${task === 'inference' ? 'micro F1' : 'mean score'} in bins of equal size, by the tokens (${tokenizer}) of the longest history in each.`,
        task,
        axis: 'tokens of the prior sessions, at most',
        column: 'most tokens',
        measured: task === 'inference' ? 'micro F1' : 'mean score',
        points: own.flatMap(({ model, bins }) =>
          bins.flatMap((bin) => {
            const value = task === 'inference' ? bin.f1 : bin.average_score;
            return value === null
              ? []
              : [{ series: model, x: bin.max_tokens, value, count: bin.n_instances }];
          }),
        ),
      }),
    ];
  });
}

interface LinesLayout extends Pick<Figure, 'name' | 'title' | 'note'> {
  readonly task: Task;
  readonly axis: string;
  /** Names of the columns of x and of the value, in the chart's table. */
  readonly column: string;
  readonly measured: string;
  readonly points: readonly {
    readonly series: string;
    readonly x: number;
    readonly value: number;
    readonly count: number;
  }[];
}

function drawLines(
  { plot, draw }: Pen,
  { name, title, note, task, axis, column, measured, points }: LinesLayout,
): Figure {
  const series = buildSeries(points.map((point) => point.series));
  const shown = points.map((point) => ({ ...point, y: point.value * (task === 'inference' ? 100 : 1) }));
  const drawing = draw(`${title}. ${note}`, {
    height: 300,
    marginLeft: 48,
    marginRight: 24,
    x: { label: axis, nice: true },
    y: { label: task === 'inference' ? `${measured} (%)` : measured, grid: true, nice: true, zero: false },
    r: { range: [3, 7] },
    ...buildSeriesScales(series),
    marks: [
      plot.lineY(shown, { x: 'x', y: 'y', stroke: 'series', strokeWidth: 1.5 }),
      plot.dot(shown, { x: 'x', y: 'y', stroke: 'series', fill: 'series', symbol: 'series', r: 'count' }),
    ],
  });
  return {
    name,
    title,
    note,
    drawing,
    legend: series,
    columns: ['series', column, measured, 'instances'],
    rows: points.map((point) => [point.series, point.x, point.value, point.count]),
  };
}

/** Inference against generation (figure 5), with the paper's models where the set-up is the paper's. */
export function drawTasks(
  { plot, draw }: Pen,
  comparisons: EvaluationResults['analyses']['tasks'],
  withPaper: boolean,
): Figure[] {
  const shown = comparisons.filter(({ models }) => models.length >= 2);
  return shown.map((comparison) => {
    const { context, matcher, matcher_form: form, decomposer, judge } = comparison;
    const own = comparison.models.map((model) => ({ ...model, isPaper: false }));
    const points = [...own, ...(withPaper && context === 'full' ? listPaperPoints(form) : [])];
    const [f1s, scores] = [points.map(({ f1 }) => f1 * 100), points.map((point) => point.average_score)];
    const [xDomain, yDomain] = [widenDomain(f1s, 5), widenDomain(scores, 0.5)];
    const layout = { height: 380, marginLeft: 48, marginRight: 24, marginTop: 24, marginBottom: 40 };
    const named = points.map((point, at) => ({
      ...point,
      // Its mark is outlined, which says so.
      label: shortenName(point.model.replace(PAPER, '')),
      percent: f1s[at] ?? 0,
      x: scaleTo(f1s[at] ?? 0, xDomain, WIDTH - layout.marginLeft - layout.marginRight),
      y: -scaleTo(point.average_score, yDomain, layout.height - layout.marginTop - layout.marginBottom),
    }));
    const sides = placeLabels(named);
    const title = 'Inference against generation (figure 5)';
    const note = `Micro F1, ${formatMatchers({ evaluator: matcher, evaluator_form: form, decomposer })}, against mean score, judged by ${judge}, ${GIVEN_WORDS[context]}.`;
    return {
      name: `figure-5-${context}-${slug(judge)}`,
      title,
      note: points.length > own.length ? `${note} Outlined: the paper's models.` : note,
      drawing: draw(`${title}. ${note}`, {
        ...layout,
        x: { label: 'micro F1 (%)', domain: xDomain, grid: true },
        y: { label: 'mean score', domain: yDomain, grid: true },
        marks: [
          plot.dot(named, {
            x: 'percent',
            y: 'average_score',
            stroke: 'var(--s1)',
            fill: (mark: { readonly isPaper: boolean }) => (mark.isPaper ? 'var(--page)' : 'var(--s1)'),
            r: 4.5,
          }),
          ...listSides().map((side) =>
            plot.text(
              named.filter((_, at) => sides[at] === side),
              { x: 'percent', y: 'average_score', text: 'label', ...LABEL_SIDES[side] },
            ),
          ),
        ],
        color: { type: 'identity' },
      }),
      columns: ['model', 'micro F1', 'mean score'],
      rows: points.map((point) => [point.model, point.f1, point.average_score]),
    };
  });
}

/** From the multiple of a step below all values to the one above them. */
function widenDomain(values: readonly number[], step: number): [number, number] {
  const [low, high] = [Math.min(...values) - step / 2, Math.max(...values) + step / 2];
  return [Math.floor(low / step) * step, Math.ceil(high / step) * step];
}

function scaleTo(value: number, [low, high]: readonly [number, number], pixels: number): number {
  return ((value - low) / (high - low)) * pixels;
}

function listPaperPoints(
  form: EvaluationResults['analyses']['tasks'][number]['matcher_form'],
): { model: string; f1: number; average_score: number; isPaper: boolean }[] {
  return readPaperNumbers().models.flatMap(({ name, inference, generation }) => {
    const f1 = form === 'judge' ? undefined : inference[form].full?.all?.f1;
    const average_score = generation.full?.all;
    return f1 === undefined || average_score === undefined
      ? []
      : [{ model: `${name}${PAPER}`, f1, average_score, isPaper: true }];
  });
}

/** Every two models: the difference on the instances that both have, and its interval. */
export function drawDifferences(
  { plot, draw }: Pen,
  differences: EvaluationResults['differences'],
): Figure[] {
  const settings = groupBy(differences, (one) => JSON.stringify([one.context, formatEvaluation(one)]));
  return [...settings.values()].flatMap((own) => {
    const [first] = own;
    if (first === undefined) return [];
    const { task, context } = first;
    const scale = task === 'inference' ? 100 : 1;
    const pairs = own.flatMap(({ model, other, n_instances, f1, average_score }) => {
      const value = task === 'inference' ? f1 : average_score;
      if (value === null) return [];
      const { difference, interval } = value;
      const [low, high] = [interval?.low ?? difference, interval?.high ?? difference];
      const isClear = interval !== null && (low > 0 || high < 0);
      return [
        {
          pair: `${model}${MINUS}${other}`,
          model,
          other,
          n_instances,
          difference,
          interval,
          low,
          high,
          isClear,
        },
      ];
    });
    if (pairs.length === 0) return [];
    const shown = pairs.map((pair) => ({
      ...pair,
      x: pair.difference * scale,
      x1: pair.low * scale,
      x2: pair.high * scale,
    }));
    const title = `Paired differences, ${task}`;
    const note = `${formatEvaluation(first)}, ${GIVEN_WORDS[context]}: the first model minus the second on the same instances, with 95 % intervals. Filled: the interval does not include 0.`;
    return [
      {
        name: `differences-${task}-${context}-${slug(first.evaluator)}`,
        title,
        note,
        drawing: draw(`${title}. ${note}`, {
          height: 50 + 24 * pairs.length,
          marginLeft: computeLabelMargin(pairs.map(({ pair }) => shortenPair(pair))),
          marginRight: 24,
          x: {
            label: task === 'inference' ? 'micro F1 (percentage points)' : 'mean score',
            grid: true,
            nice: true,
          },
          y: { domain: pairs.map(({ pair }) => pair), label: null, tickFormat: shortenPair },
          marks: [
            plot.ruleX([0], { strokeDasharray: '3,3' }),
            plot.ruleY(shown, { y: 'pair', x1: 'x1', x2: 'x2', stroke: 'var(--s1)', strokeWidth: 1.75 }),
            plot.dot(shown, {
              x: 'x',
              y: 'pair',
              r: 4.5,
              stroke: 'var(--s1)',
              fill: ({ isClear }: { readonly isClear: boolean }) => (isClear ? 'var(--s1)' : 'var(--page)'),
            }),
          ],
          color: { type: 'identity' },
        }),
        columns: ['model', 'minus', 'instances', 'difference', '95 % from', 'to'],
        rows: pairs.map((pair) => [
          pair.model,
          pair.other,
          pair.n_instances,
          pair.difference,
          pair.interval?.low ?? null,
          pair.interval?.high ?? null,
        ]),
      },
    ];
  });
}

function shortenPair(pair: string): string {
  return pair.split(MINUS).map(shortenPart).join(MINUS);
}

const MINUS = ' − ';

function shortenPart(name: string): string {
  return name.length <= 20 ? name : `…${name.slice(-19)}`;
}

/** Tested models × the models that generated the data (figure 10). */
export function drawSynthesizers(
  pen: Pen,
  comparisons: EvaluationResults['analyses']['synthesizers'],
): Figure[] {
  return comparisons.flatMap(({ entries, ...setting }) => {
    const squares = entries.flatMap(({ model, synthesizer, own_data, f1, average_score }) => {
      const value = setting.task === 'inference' ? f1 : average_score;
      return value === null
        ? []
        : [{ row: model, column: synthesizer ?? 'unknown', value, isMarked: own_data === true }];
    });
    if (new Set(squares.map(({ column }) => column)).size < 2) return [];
    return [
      drawMatrix(pen, squares, {
        name: `figure-10-${setting.task}-${setting.context}-${slug(setting.evaluator)}`,
        title: 'Tested model by the model that generated the data (figure 10)',
        note: `${formatEvaluation(setting)}, ${GIVEN_WORDS[setting.context]}. Outlined: a model on its own data.`,
        task: setting.task,
        rowTitle: 'tested model',
        columnTitle: 'data by',
      }),
    ];
  });
}

/** Model × judge, and model × matcher, where there are several. */
export function drawEvaluators(pen: Pen, cells: readonly Cell[]): Figure[] {
  const settings = groupBy(cells, ({ task, context }) => JSON.stringify([task, context]));
  return [...settings.values()].flatMap((own) => {
    const [first] = own;
    const squares = own.flatMap(({ model, evaluator, evaluator_form, decomposer, all }) => {
      const value = all.inference?.f1 ?? all.generation?.average_score ?? null;
      const column =
        evaluator_form === 'judge'
          ? evaluator
          : formatMatchers({ evaluator, evaluator_form, decomposer }).replace('matched by ', '');
      return value === null ? [] : [{ row: model, column, value, isMarked: false }];
    });
    if (first === undefined || new Set(squares.map(({ column }) => column)).size < 2) return [];
    const noun = first.task === 'inference' ? 'matcher' : 'judge';
    return [
      drawMatrix(pen, squares, {
        name: `${noun}s-${first.context}`,
        title: `Model by ${noun}`,
        note: `${first.task === 'inference' ? 'Micro F1 (%)' : 'Mean score'} over all instances, ${GIVEN_WORDS[first.context]}.`,
        task: first.task,
        rowTitle: 'model',
        columnTitle: noun,
      }),
    ];
  });
}

interface Square {
  readonly row: string;
  readonly column: string;
  readonly value: number;
  readonly isMarked: boolean;
}

interface MatrixLayout extends Pick<Figure, 'name' | 'title' | 'note'> {
  readonly task: Task;
  readonly rowTitle: string;
  readonly columnTitle: string;
}

/** Squares with their numbers, the higher the darker. */
function drawMatrix(
  { plot, draw }: Pen,
  squares: readonly Square[],
  { name, title, note, task, rowTitle, columnTitle }: MatrixLayout,
): Figure {
  const rows = [...new Set(squares.map(({ row }) => row))];
  const columns = [...new Set(squares.map(({ column }) => column))];
  const text = task === 'inference' ? formatPercent : formatScore;
  const values = squares.map(({ value }) => value);
  const [low, range] = [Math.min(...values), Math.max(...values) - Math.min(...values) || 1];
  const marginLeft = computeLabelMargin(rows);
  const drawing = draw(`${title}. ${note}`, {
    width: Math.min(760, marginLeft + 30 + 150 * columns.length),
    height: 46 + 34 * rows.length,
    marginLeft,
    marginTop: 40,
    marginBottom: 6,
    x: { domain: columns, label: columnTitle, axis: 'top', tickFormat: shortenPart, tickSize: 0 },
    y: { domain: rows, label: null, tickFormat: shortenName, tickSize: 0 },
    marks: [
      plot.cell(squares, {
        x: 'column',
        y: 'row',
        inset: 1,
        fill: 'var(--s1)',
        fillOpacity: ({ value }: Square) => 0.06 + (0.34 * (value - low)) / range,
      }),
      plot.cell(
        squares.filter(({ isMarked }) => isMarked),
        { x: 'column', y: 'row', inset: 2, stroke: 'currentColor', strokeWidth: 1.75 },
      ),
      plot.text(squares, { x: 'column', y: 'row', text: ({ value }: Square) => text(value) }),
    ],
    opacity: { type: 'identity' },
  });
  return {
    name,
    title,
    note,
    drawing,
    columns: [rowTitle, columnTitle, task === 'inference' ? 'micro F1' : 'mean score'],
    rows: squares.map(({ row, column, value }) => [row, column, value]),
  };
}

/** A part of a file's name. */
function slug(name: string): string {
  return name
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '-')
    .replaceAll(/^-|-$/g, '')
    .slice(0, 40);
}
