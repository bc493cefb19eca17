import { readPaperNumbers, type InstanceGroup } from '../../data/paper';
import { isComparable } from '../../rules/scores/paper-parts';
import type { Interval } from '../../schemas/text/numbers';
import { groupBy } from '../../rules/group-by';
import { INSTANCE_TYPES } from '../../schemas/dataset/instance-type';
import type { HistoryForm } from '../../schemas/evaluation/context';
import type { Task } from '../../schemas/evaluation/evaluation';
import { MEASURES, nameUnit } from '../../schemas/evaluation/measure';
import {
  buildSeries,
  buildSeriesScales,
  drawLegend,
  formatFileName,
  hasSeveral,
  layOutLabels,
  shortenNames,
  type Pen,
} from './drawing';
import type { Figure } from './figure';
import type { ResultCell } from '../../schemas/evaluation/results';
import { getMainNumber, type GroupResult } from '../../runs/tables/result-cell';
import { groupByEvaluation, type EvaluationGroup } from '../../runs/tables/section';
import { buildContextFacets } from './facets';

/**
 * Draws the scores of the models in each context (figure 8), and beside it those by instance type. The paper's models are shown if the set-up is the
 * paper's.
 */
export function drawScores(pen: Pen, cells: readonly ResultCell[]): Figure[] {
  return groupByEvaluation(cells).flatMap((group) => [...drawAll(pen, group), ...drawTypes(pen, group)]);
}

function drawAll(pen: Pen, { task, line, entries }: EvaluationGroup<ResultCell>): Figure[] {
  const { axis, note, measures } = SCORES[task];
  const evaluatedMarks = entries.flatMap(({ model, context, all }) =>
    measures.flatMap(({ measure, get }) => buildModelMarks({ model, context, measure }, get(all))),
  );
  const marks = [...evaluatedMarks, ...listPaperMarks(entries, 'all')];
  if (!hasSeveral(marks.map(({ model, context }) => `${context} ${model}`))) return [];
  return drawMarks(pen, marks, {
    name: task === 'choice' ? task : `figure-8-${task}-${formatFileName(entries[0]?.evaluator ?? '')}`,
    title: task === 'choice' ? line : `${line} (figure 8)`,
    note: `${note}; lines are 95 % intervals.`,
    task,
    axis,
    labelled: LABELLED[task],
  });
}

function drawTypes(pen: Pen, { task, line, entries }: EvaluationGroup<ResultCell>): Figure[] {
  const evaluatedMarks = entries.flatMap(({ model, context, by_type: byType }) =>
    INSTANCE_TYPES.flatMap((measure) =>
      buildModelMarks({ model, context, measure }, getMainNumber(byType[measure])),
    ),
  );
  const paper = INSTANCE_TYPES.flatMap((type) =>
    listPaperMarks(entries, type)
      .filter(({ measure }) => measure === LABELLED[task])
      .map((mark) => ({ ...mark, measure: type })),
  );
  const { average } = MEASURES[task];
  const marks = [...evaluatedMarks, ...paper];
  // The scores of a single type are those of all instances.
  if (!hasSeveral(marks.map(({ measure }) => measure))) return [];
  return drawMarks(pen, marks, {
    name: `types-${task}-${formatFileName(entries[0]?.evaluator ?? '')}`,
    title: `${line}, by instance type`,
    note: `Lines are 95 % intervals.`,
    task,
    axis: nameUnit(task, average),
  });
}

/** A model's number in a chart. Numbers of the paper have no interval. */
interface Mark {
  readonly model: string;
  readonly context: HistoryForm;
  readonly measure: string;
  readonly value: number;
  readonly interval: Interval | null;
  readonly isPaper: boolean;
}

interface MarkValue {
  readonly value?: number | null | undefined;
  readonly interval?: Interval | null | undefined;
}

/** The measure of each task whose numbers stand beside their marks. */
const LABELLED = { inference: 'F1', generation: 'mean score', choice: 'paired accuracy' } as const;

/** The charts of all instances, with their measures. */
const SCORES: Readonly<
  Record<
    Task,
    {
      readonly note: string;
      readonly axis: string;
      readonly measures: readonly {
        readonly measure: string;
        readonly get: (all: GroupResult) => MarkValue;
      }[];
    }
  >
> = {
  inference: {
    note: 'Micro averages over all instances',
    axis: 'micro average (%)',
    measures: (
      [
        ['F1', 'f1'],
        ['precision', 'precision'],
        ['recall', 'recall'],
      ] as const
    ).map(([measure, key]) => ({
      measure,
      get: ({ inference }) => ({ value: inference?.[key], interval: inference?.intervals[key] }),
    })),
  },
  generation: {
    note: 'Mean score from 1 to 10 over all instances',
    axis: 'mean score',
    measures: [{ measure: 'mean score', get: getMainNumber }],
  },
  choice: {
    note: 'Accuracy over all instances, and share of personas whose consistent and changing rows are both right (paired accuracy), which is 0 for the same answer to both',
    axis: 'share (%)',
    measures: [
      { measure: 'accuracy', get: getMainNumber },
      {
        measure: 'paired accuracy',
        get: ({ choice }) => ({
          value: choice?.paired_accuracy,
          interval: choice?.intervals.paired_accuracy,
        }),
      },
      { measure: 'chance of accuracy', get: ({ choice }) => ({ value: choice?.chance }) },
    ],
  },
};

/** Builds the mark of a model's own number, or none if there is no number. */
function buildModelMarks(
  place: Pick<Mark, 'model' | 'context' | 'measure'>,
  { value, interval = null }: MarkValue,
): Mark[] {
  return typeof value === 'number' ? [{ ...place, value, interval, isPaper: false }] : [];
}

/** Lists the paper's numbers for a group of instances, in the contexts whose cells all have the paper's set-up. */
function listPaperMarks(cells: readonly ResultCell[], group: InstanceGroup): Mark[] {
  const contexts = [...groupBy(cells, ({ context }) => context)].flatMap(([context, contextCells]) =>
    context !== 'preference' && contextCells.every(({ setup }) => isComparable(setup))
      ? [{ context, contextCells }]
      : [],
  );
  return readPaperNumbers().models.flatMap(({ name, inference, generation }) =>
    contexts.flatMap(({ context, contextCells: [first] }) => {
      const form = first?.evaluator_form ?? 'letter';
      if (form === 'letter') return [];
      const scores = form === 'judge' ? undefined : inference[form][context]?.[group];
      const values = [
        ['F1', scores?.f1],
        ['precision', scores?.precision],
        ['recall', scores?.recall],
        ['mean score', form === 'judge' ? generation[context]?.[group] : undefined],
      ] as const;
      return values.flatMap(([measure, value]) =>
        buildModelMarks({ model: `${name}${PAPER}`, context, measure }, { value }).map((mark) => ({
          ...mark,
          isPaper: true,
        })),
      );
    }),
  );
}

/** Suffix that distinguishes the paper's models from others of the same name. */
export const PAPER = ' (paper)';

interface MarksLayout extends Pick<Figure, 'name' | 'title' | 'note'> {
  readonly task: Task;
  readonly axis: string;
  /** The measure whose numbers are shown; all measures if absent. */
  readonly labelled?: string;
}

/** Draws models below each other, with a shape for each measure, and contexts beside each other. */
function drawMarks(
  pen: Pen,
  marks: readonly Mark[],
  { name, title, note, task, axis, labelled }: MarksLayout,
): Figure[] {
  const { plot, draw } = pen;
  const { scale, range, format } = MEASURES[task];
  const maximum = range[1] * scale;
  const series = buildSeries(marks.map(({ measure }) => measure));
  const models = [...new Set(marks.map(({ model }) => model))];
  const shorten = shortenNames(models);
  const placedMarks = marks.map((mark) => {
    const low = (mark.interval?.low ?? mark.value) * scale;
    const high = (mark.interval?.high ?? mark.value) * scale;
    // A number beyond the end of a panel would cover the next one, and one before its beginning the names.
    const isLeft = high > 0.8 * maximum && low > 0.15 * maximum;
    return { ...mark, x: mark.value * scale, low, high, isLeft, edge: isLeft ? low : high };
  });
  // The measures of a model are below each other, so that no interval covers another.
  const rows = series.map((entry, at) => ({
    dy: (at - (series.length - 1) / 2) * MEASURE_GAP,
    seriesMarks: placedMarks.filter(({ measure }) => measure === entry.name),
    isLabelled: labelled === undefined || labelled === entry.name,
  }));
  const drawing = draw(`${title}. ${note}`, {
    height: 76 + (10 + MEASURE_GAP * series.length) * models.length,
    ...layOutLabels(models.map(shorten)),
    ...buildContextFacets(marks),
    x: { domain: [0, maximum], label: axis, grid: true, ticks: 4 },
    y: { domain: models, label: null, tickFormat: shorten },
    ...buildSeriesScales(series),
    marks: rows.flatMap(({ dy, seriesMarks, isLabelled }) => [
      plot.ruleY(
        seriesMarks.filter(({ interval }) => interval !== null),
        { fx: 'context', dy, y: 'model', x1: 'low', x2: 'high', stroke: 'measure', strokeWidth: 1.75 },
      ),
      ...[false, true].map((isPaper) =>
        plot.dot(
          seriesMarks.filter((mark) => mark.isPaper === isPaper),
          {
            fx: 'context',
            dy,
            x: 'x',
            y: 'model',
            symbol: 'measure',
            stroke: 'measure',
            fill: isPaper ? 'var(--background)' : 'measure',
            r: 4.5,
          },
        ),
      ),
      ...[false, true].map((isLeft) =>
        plot.text(
          seriesMarks.filter((mark) => isLabelled && mark.isLeft === isLeft),
          {
            fx: 'context',
            x: 'edge',
            y: 'model',
            text: ({ value }: Mark) => format(value),
            textAnchor: isLeft ? 'end' : 'start',
            dx: isLeft ? -9 : 9,
            dy,
          },
        ),
      ),
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
      ...(series.length > 1 && { legend: drawLegend(pen, series) }),
      columns: ['context', 'model', 'measure', 'value', '95 % from', 'to'],
      rows: marks.map(({ context, model, measure, value, interval }) => [
        context,
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
const MEASURE_GAP = 12;
