import type { EvaluationResults } from '../../schemas/evaluation/results';
import { MEASURES } from '../../schemas/evaluation/measure';
import { groupBy } from '../../rules/group-by';
import type { Task } from '../../schemas/evaluation/evaluation';
import { formatFileName, hasSeveral, layOutLabels, SHORT_LABEL, shortenNames, type Pen } from './drawing';
import type { Figure } from './figure';
import { formatEvaluation, formatMatchers } from '../../runs/tables/section';

/** Draws tested models × the models that generated the data (figure 10). */
export function drawSynthesizers(
  pen: Pen,
  comparisons: EvaluationResults['analyses']['synthesizers'],
): Figure[] {
  return comparisons.flatMap(({ entries, ...setting }) => {
    const squares = entries.flatMap(({ model, synthesizer, own_data, ...numbers }) => {
      const value = numbers[MEASURES[setting.task].key];
      return value === null
        ? []
        : [{ row: model, column: synthesizer ?? 'unknown', value, isMarked: own_data === true }];
    });
    return drawMatrix(pen, squares, {
      name: `figure-10-${setting.task}-${setting.context}-${formatFileName(setting.evaluator)}`,
      title: 'Tested model by the model that generated the data (figure 10)',
      note: `${formatEvaluation(setting)}, context ${setting.context}. Outlined: a model on its own data.`,
      task: setting.task,
      rowTitle: 'tested model',
      columnTitle: 'data by',
    });
  });
}

/** Draws model × judge, and model × matcher, if there are several judges or matchers. */
export function drawEvaluators(pen: Pen, cells: EvaluationResults['cells']): Figure[] {
  const settings = groupBy(cells, ({ task, context }) => JSON.stringify([task, context]));
  return [...settings.values()].flatMap((settingCells) => {
    const [first] = settingCells;
    const squares = settingCells.flatMap(({ model, evaluator, evaluator_form, decomposer, all }) => {
      const value = all.inference?.f1 ?? all.generation?.average_score ?? null;
      const column =
        evaluator_form === 'judge'
          ? evaluator
          : formatMatchers({ evaluator, evaluator_form, decomposer }).replace('matched by ', '');
      return value === null ? [] : [{ row: model, column, value, isMarked: false }];
    });
    if (first === undefined) return [];
    const noun = first.task === 'inference' ? 'matcher' : 'judge';
    return drawMatrix(pen, squares, {
      name: `${noun}s-${first.context}`,
      title: `Model by ${noun}`,
      note: `${first.task === 'inference' ? 'Micro F1 (%)' : 'Mean score'} over all instances, context ${first.context}.`,
      task: first.task,
      rowTitle: 'model',
      columnTitle: noun,
    });
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

/** Draws squares with their numbers: the higher, the darker. */
function drawMatrix(
  { plot, draw }: Pen,
  squares: readonly Square[],
  { name, title, note, task, rowTitle, columnTitle }: MatrixLayout,
): Figure[] {
  if (!hasSeveral(squares.map(({ column }) => column))) return [];
  const rows = [...new Set(squares.map(({ row }) => row))];
  const columns = [...new Set(squares.map(({ column }) => column))];
  const { format: text, range, average } = MEASURES[task];
  // The scale is the possible range, so that a small difference looks small.
  const computeShare = (value: number) => (value - range[0]) / (range[1] - range[0]);
  const shortenRow = shortenNames(rows);
  const { marginLeft, width } = layOutLabels(rows.map(shortenRow));
  const drawing = draw(`${title}. ${note}`, {
    width: Math.min(width, marginLeft + 30 + 150 * columns.length),
    height: 46 + 34 * rows.length,
    marginLeft,
    marginTop: 40,
    marginBottom: 6,
    x: {
      domain: columns,
      label: columnTitle,
      axis: 'top',
      tickFormat: shortenNames(columns, SHORT_LABEL),
      tickSize: 0,
    },
    y: { domain: rows, label: null, tickFormat: shortenRow, tickSize: 0 },
    marks: [
      plot.cell(squares, {
        x: 'column',
        y: 'row',
        inset: 1,
        fill: 'var(--s1)',
        fillOpacity: ({ value }: Square) => 0.06 + 0.34 * computeShare(value),
      }),
      plot.cell(
        squares.filter(({ isMarked }) => isMarked),
        { x: 'column', y: 'row', inset: 2, stroke: 'currentColor', strokeWidth: 1.75 },
      ),
      plot.text(squares, { x: 'column', y: 'row', text: ({ value }: Square) => text(value) }),
    ],
    opacity: { type: 'identity' },
  });
  return [
    {
      name,
      title,
      note,
      drawing,
      columns: [rowTitle, columnTitle, average],
      rows: squares.map(({ row, column, value }) => [row, column, value]),
    },
  ];
}
