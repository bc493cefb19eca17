import { readPaperNumbers, type PaperModel } from '../../../data/paper';
import { isComparable } from '../../../runs/evaluate/paper-setup';
import type { EvaluationResults } from '../../../runs/evaluate/results';
import { formatPercent, formatScore, type Interval } from '../../../schemas/text/numbers';
import { groupBy } from '../../../rules/group-by';
import { INSTANCE_TYPES } from '../../../schemas/dataset/instance-type';
import type { Task } from '../../../schemas/evaluation/evaluation';
import { MEASURES, nameUnit } from '../../../schemas/evaluation/measure';
import {
  buildSeries,
  buildSeriesScales,
  computeLabelMargin,
  formatFileName,
  shortenName,
  type Figure,
  type Pen,
} from '../drawing';
import { getMainNumber } from '../tables/result-cell';
import { formatEvaluation, formatMatchers } from '../tables/section';

type Cell = EvaluationResults['cells'][number];

/** Draws the scores of the models, with the paper's models if the set-up is the paper's (figure 8). */
export function drawScores(pen: Pen, cells: readonly Cell[]): Figure[] {
  const ofTask = (task: Task) => cells.filter((cell) => cell.task === task);
  const bySetting = groupBy(ofTask('inference'), (cell) =>
    JSON.stringify([cell.context, formatEvaluation(cell)]),
  );
  const byJudge = groupBy(ofTask('generation'), formatEvaluation);
  return [
    ...[...bySetting.values()].flatMap((own) => drawInference(pen, own)),
    ...[...byJudge.values()].flatMap((own) => drawGeneration(pen, own)),
    ...drawChoice(pen, ofTask('choice')),
  ];
}

/** Draws the scores of the models by instance type with their intervals, which the tables lack. */
export function drawTypes(pen: Pen, cells: readonly Cell[]): Figure[] {
  const settings = groupBy(cells, (cell) => JSON.stringify([cell.context, formatEvaluation(cell)]));
  return [...settings.values()].flatMap((own) => {
    const [first] = own;
    if (first === undefined) return [];
    const { task, context, evaluator_form: form } = first;
    const paper =
      context !== 'preference' && own.every(({ setup }) => isComparable(setup))
        ? listPaperMarks(({ inference, generation }) =>
            INSTANCE_TYPES.flatMap((type): [string, number][] => {
              if (form === 'letter') return [];
              const value =
                form === 'judge' ? generation[context]?.[type] : inference[form][context]?.[type]?.f1;
              return value === undefined ? [] : [[type, value]];
            }),
          )
        : [];
    const marks = own.flatMap(({ model, by_type: byType }) =>
      INSTANCE_TYPES.flatMap((type) => {
        const { value, interval } = getMainNumber(byType[type]);
        return buildMarks(model, type, value, interval);
      }),
    );
    const { average, scale, range, format } = MEASURES[task];
    return drawMarks(pen, [...marks, ...paper], {
      name: `types-${task}-${context}-${formatFileName(first.evaluator)}`,
      title: `${TITLES[task]}, context ${context}, by instance type`,
      note: `${formatEvaluation(first)}: ${average}; bars are 95 % intervals.`,
      scale,
      domain: [0, range[1] * scale],
      axis: nameUnit(task, average),
      text: format,
    });
  });
}

const TITLES = { inference: 'Inference', generation: 'Generation', choice: 'Choice' } as const;

/** A model's number in a chart. Numbers of the paper have no interval. */
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
    form !== 'judge' &&
    form !== 'letter' &&
    context !== 'preference' &&
    cells.every(({ setup }) => isComparable(setup))
      ? listPaperMarks(({ inference }) => {
          const scores = inference[form][context]?.all;
          return scores === undefined
            ? []
            : INFERENCE_MEASURES.map(([measure, key]) => [measure, scores[key]]);
        })
      : [];
  const marks = cells.flatMap(({ model, all: { inference } }) =>
    INFERENCE_MEASURES.flatMap(([measure, key]) =>
      buildMarks(model, measure, inference?.[key], inference?.intervals[key]),
    ),
  );
  return drawMarks(pen, [...marks, ...paper], {
    name: `figure-8-inference-${context}-${formatFileName(first.evaluator)}`,
    title: `Inference, context ${context} (figure 8)`,
    note: `Micro averages over all instances, ${formatMatchers(first)}; bars are 95 % intervals.`,
    scale: 100,
    domain: [0, 100],
    axis: 'micro average (%)',
    text: formatPercent,
    labelled: 'F1',
  });
}

const INFERENCE_MEASURES = [
  ['F1', 'f1'],
  ['precision', 'precision'],
  ['recall', 'recall'],
] as const;

function drawGeneration(pen: Pen, cells: readonly Cell[]): Figure[] {
  const [first] = cells;
  if (first === undefined) return [];
  const contexts = new Set(cells.map(({ context }) => context));
  const paper = cells.every(({ setup }) => isComparable(setup))
    ? listPaperMarks(({ generation }) =>
        [...contexts].flatMap((context): [string, number][] => {
          const score = generation[context]?.all;
          return score === undefined ? [] : [[`context ${context}`, score]];
        }),
      )
    : [];
  const marks = cells.flatMap(({ model, context, all: { generation } }) =>
    // The context's own name could be "none", a color in which the library draws nothing.
    buildMarks(model, `context ${context}`, generation?.average_score, generation?.intervals.average_score),
  );
  return drawMarks(pen, [...marks, ...paper], {
    name: `figure-8-generation-${formatFileName(first.evaluator)}`,
    title: 'Generation (figure 8)',
    note: `Mean score from 1 to 10 over all instances, by what the model was given, judged by ${first.evaluator}; bars are 95 % intervals.`,
    scale: 1,
    domain: [0, 10],
    axis: 'mean score',
    text: formatScore,
  });
}

/** Draws accuracy and paired accuracy of each model, by what it was given. */
function drawChoice(pen: Pen, cells: readonly Cell[]): Figure[] {
  return [...groupBy(cells, ({ context }) => context)].flatMap(([context, own]) =>
    drawMarks(
      pen,
      own.flatMap(({ model, all: { choice } }) => [
        ...buildMarks(model, 'accuracy', choice?.accuracy, choice?.intervals.accuracy),
        ...buildMarks(model, 'paired accuracy', choice?.paired_accuracy, choice?.intervals.paired_accuracy),
        ...buildMarks(model, 'chance', choice?.chance),
      ]),
      {
        name: `choice-${context}`,
        title: `Choice, context ${context}`,
        note: 'Accuracy over all instances, and share of personas whose consistent and changing rows are both right, which is 0 without reading the history; bars are 95 % intervals.',
        scale: 100,
        domain: [0, 100],
        axis: 'share (%)',
        text: formatPercent,
        labelled: 'paired accuracy',
      },
    ),
  );
}

/** Builds the mark of a model's own number, or none if there is no number. */
function buildMarks(
  model: string,
  measure: string,
  value: number | null | undefined,
  interval: Interval | null | undefined = null,
): Mark[] {
  return typeof value === 'number'
    ? [{ model, measure, value, interval: interval ?? null, isPaper: false }]
    : [];
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

/** Suffix that distinguishes the paper's models from others of the same name. */
export const PAPER = ' (paper)';

interface MarksLayout extends Pick<Figure, 'name' | 'title' | 'note'> {
  /** Factor from values to the numbers shown. */
  readonly scale: number;
  readonly domain: [number, number];
  readonly axis: string;
  readonly text: (value: number) => string;
  /** The measure whose numbers are shown; all measures if absent. */
  readonly labelled?: string;
}

/** Draws models below each other, with a shape for each measure. */
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
  // The measures of a model are below each other, so that no interval covers another.
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
const MEASURE_GAP = 13;
