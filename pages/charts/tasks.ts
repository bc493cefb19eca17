import { readPaperNumbers } from '../../data/paper';
import type { EvaluationResults } from '../../schemas/evaluation/results';
import { formatCoefficient, formatProbability } from '../../schemas/text/numbers';
import {
  formatFileName,
  LABEL_SIDES,
  LEAST_POINTS,
  listSides,
  placeLabels,
  SHORT_LABEL,
  shortenNames,
  WIDTHS,
  type Pen,
} from './drawing';
import type { Figure } from './figure';
import { formatMatchers } from '../../runs/tables/section';
import { PAPER } from './scores';

/** Draws inference against generation (figure 5), with the paper's models if the set-up is the paper's. */
export function drawTasks(
  { plot, draw }: Pen,
  comparisons: EvaluationResults['analyses']['tasks'],
  withPaper: boolean,
): Figure[] {
  const shownComparisons = comparisons
    .map((comparison) => {
      const { context, matcher_form: form } = comparison;
      const evaluatedModels = comparison.models.map((model) => ({ ...model, isPaper: false }));
      const paper = withPaper && context === 'full' ? listPaperPoints(form) : [];
      return { ...comparison, points: [...evaluatedModels, ...paper] };
    })
    .filter(({ points }) => points.length >= LEAST_POINTS);
  const all = shownComparisons.flatMap(({ points }) => points);
  // Charts beside each other have the same scale.
  const xDomain = widenDomain(
    all.map(({ f1 }) => f1 * 100),
    10,
    [0, 100],
  );
  const yDomain = widenDomain(
    all.map((point) => point.average_score),
    1,
    [0, 10],
  );
  return shownComparisons.map(
    ({ context, matcher, matcher_form: form, decomposer, judge, correlation, points }) => {
      const layout = {
        width: WIDTHS.third,
        height: 250,
        marginLeft: 40,
        marginRight: 24,
        marginTop: 24,
        marginBottom: 40,
      };
      const shorten = shortenNames(
        points.map(({ model }) => nameModel(model)),
        SHORT_LABEL,
      );
      const labelledPoints = points.map((point) => ({
        ...point,
        label: shorten(nameModel(point.model)),
        percent: point.f1 * 100,
        x: scaleTo(point.f1 * 100, xDomain, layout.width - layout.marginLeft - layout.marginRight),
        y: -scaleTo(point.average_score, yDomain, layout.height - layout.marginTop - layout.marginBottom),
      }));
      const sides = placeLabels(labelledPoints, layout.width - layout.marginLeft);
      const title = 'Figure 5';
      const note = `Context ${context}, ${formatMatchers({ evaluator: matcher, evaluator_form: form, decomposer })}, judged by ${judge}; Pearson's r ${formatCoefficient(correlation.r)}, p ${formatProbability(correlation.p)}.`;
      return {
        name: `figure-5-${context}-${formatFileName(matcher)}-${formatFileName(judge)}`,
        title,
        note: points.some(({ isPaper }) => isPaper) ? `${note} Outlined: the paper's models.` : note,
        width: 'third' as const,
        drawing: draw(`${title}. ${note}`, {
          ...layout,
          x: { label: 'micro F1 (%)', domain: xDomain, grid: true, ticks: 5 },
          y: { label: 'mean score', domain: yDomain, grid: true, ticks: 5 },
          marks: [
            plot.dot(labelledPoints, {
              x: 'percent',
              y: 'average_score',
              stroke: 'var(--s1)',
              fill: (mark: { readonly isPaper: boolean }) =>
                mark.isPaper ? 'var(--background)' : 'var(--s1)',
              r: 4.5,
            }),
            ...listSides().map((side) =>
              plot.text(
                labelledPoints.filter((_, at) => sides[at] === side),
                { x: 'percent', y: 'average_score', text: 'label', ...LABEL_SIDES[side] },
              ),
            ),
          ],
          color: { type: 'identity' },
        }),
        columns: ['model', 'micro F1', 'mean score'],
        rows: points.map((point) => [point.model, point.f1, point.average_score]),
      };
    },
  );
}

/** Names a model beside its mark, which is outlined if it is the paper's. */
function nameModel(model: string): string {
  return model.replace(PAPER, '');
}

/** Widens the range of the values to multiples of a step, within the possible range. */
function widenDomain(
  values: readonly number[],
  step: number,
  [minimum, maximum]: readonly [number, number],
): [number, number] {
  const [low, high] = [Math.min(...values) - step / 2, Math.max(...values) + step / 2];
  return [Math.max(minimum, Math.floor(low / step) * step), Math.min(maximum, Math.ceil(high / step) * step)];
}

function scaleTo(value: number, [low, high]: readonly [number, number], pixels: number): number {
  return ((value - low) / (high - low)) * pixels;
}

function listPaperPoints(
  form: EvaluationResults['analyses']['tasks'][number]['matcher_form'],
): { model: string; f1: number; average_score: number; isPaper: boolean }[] {
  return readPaperNumbers().models.flatMap(({ name, inference, generation }) => {
    const f1 = form === 'judge' || form === 'letter' ? undefined : inference[form].full?.all?.f1;
    const average_score = generation.full?.all;
    return f1 === undefined || average_score === undefined
      ? []
      : [{ model: `${name}${PAPER}`, f1, average_score, isPaper: true }];
  });
}
