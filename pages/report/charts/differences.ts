import type { EvaluationResults } from '../../../runs/evaluate/results';
import { MEASURES } from '../../../schemas/evaluation/measure';
import { groupBy } from '../../../rules/group-by';
import { computeLabelMargin, formatFileName, shortenPart, type Figure, type Pen } from '../drawing';
import { formatEvaluation } from '../tables/section';

/** Draws the difference of every two models on the instances that both have, and its interval. */
export function drawDifferences(
  { plot, draw }: Pen,
  differences: EvaluationResults['differences'],
): Figure[] {
  const settings = groupBy(differences, (one) => JSON.stringify([one.context, formatEvaluation(one)]));
  return [...settings.values()].flatMap((own) => {
    const [first] = own;
    if (first === undefined) return [];
    const { task, context } = first;
    const { scale, key, average } = MEASURES[task];
    const pairs = own.flatMap(({ model, other, n_instances, ...values }) => {
      const value = values[key];
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
    const note = `${formatEvaluation(first)}, context ${context}: the first model minus the second on the same instances, with 95 % intervals. Filled: the interval does not include 0.`;
    return [
      {
        name: `differences-${task}-${context}-${formatFileName(first.evaluator)}`,
        title,
        note,
        drawing: draw(`${title}. ${note}`, {
          height: 50 + 24 * pairs.length,
          marginLeft: computeLabelMargin(pairs.map(({ pair }) => shortenPair(pair))),
          marginRight: 24,
          x: {
            label: scale === 100 ? `${average} (percentage points)` : `difference in ${average}`,
            grid: true,
            nice: true,
            // Plot draws an interval as wide as the chart if all values are the same.
            ...(shown.every(({ x1, x2 }) => x1 === 0 && x2 === 0) && { domain: [-1, 1] }),
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
