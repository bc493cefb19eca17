import { groupBy } from '../../rules/group-by';
import type { ModelDifference } from '../../schemas/evaluation/results/summary';
import { MEASURES } from '../../schemas/evaluation/measure';
import { formatFileName, layOutLabels, SHORT_LABEL, shortenNames, type Pen } from './drawing';
import type { Figure } from './figure';
import { formatEvaluation } from '../../runs/tables/section';
import { buildContextFacets } from './facets';

/** Draws the difference of every two models on the instances that both have, and its interval, with the contexts side by side. */
export function drawDifferences({ plot, draw }: Pen, differences: readonly ModelDifference[]): Figure[] {
  const knownDifferences = differences.filter(
    (difference) => difference[MEASURES[difference.task].key] !== null,
  );
  // A single difference is a row of the results.
  const evaluations = [...groupBy(knownDifferences, formatEvaluation).values()]
    .filter((evaluationDifferences) => evaluationDifferences.length >= 2)
    .map((evaluationDifferences) => ({
      evaluationDifferences,
      pairs: evaluationDifferences.flatMap(buildPair),
    }));
  return evaluations.flatMap(({ evaluationDifferences, pairs }) => {
    const [first] = evaluationDifferences;
    if (first === undefined) return [];
    const { task } = first;
    const { scale, average } = MEASURES[task];
    // Charts in the same unit have the same scale, which includes 0.
    const bounds = evaluations.flatMap((evaluation) =>
      evaluation.pairs.flatMap((pair) => (pair.scale === scale ? [pair.x1, pair.x2] : [])),
    );
    const domain = [Math.min(0, ...bounds), Math.max(0, ...bounds)] as const;
    const shorten = shortenNames(
      pairs.flatMap(({ model, other }) => [model, other]),
      SHORT_LABEL,
    );
    const labels = new Map(
      pairs.map(({ pair, model, other }) => [pair, `${shorten(model)}${MINUS}${shorten(other)}`] as const),
    );
    const names = [...labels.keys()];
    const title = `Paired differences, ${task}`;
    const note = `${formatEvaluation(first)}, by context: the first model minus the second on the same instances, with 95 % intervals. Filled: the interval does not include 0.`;
    return [
      {
        name: `differences-${task}-${formatFileName(first.evaluator)}`,
        title,
        note,
        drawing: draw(`${title}. ${note}`, {
          height: 66 + 22 * names.length,
          ...layOutLabels([...labels.values()]),
          ...buildContextFacets(pairs),
          x: {
            label: scale === 100 ? `${average} (percentage points)` : `difference in ${average}`,
            grid: true,
            nice: true,
            ticks: 4,
            // Plot draws an interval as wide as the chart if all values are the same.
            domain: domain[0] === domain[1] ? [-1, 1] : domain,
          },
          y: { domain: names, label: null, tickFormat: (pair: string) => labels.get(pair) ?? pair },
          marks: [
            plot.ruleX([0], { strokeDasharray: '3,3' }),
            plot.ruleY(pairs, {
              fx: 'context',
              y: 'pair',
              x1: 'x1',
              x2: 'x2',
              stroke: 'var(--s1)',
              strokeWidth: 1.75,
            }),
            plot.dot(pairs, {
              fx: 'context',
              x: 'x',
              y: 'pair',
              r: 4.5,
              stroke: 'var(--s1)',
              fill: ({ isClear }: { readonly isClear: boolean }) =>
                isClear ? 'var(--s1)' : 'var(--background)',
            }),
          ],
          color: { type: 'identity' },
        }),
        columns: ['context', 'model', 'minus', 'instances', 'difference', '95 % from', 'to'],
        rows: pairs.map((pair) => [
          pair.context,
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

function buildPair({ task, model, other_model, context, n_instances, ...values }: ModelDifference) {
  const { scale, key } = MEASURES[task];
  const value = values[key];
  if (value === null) return [];
  const { difference, interval } = value;
  const [low, high] = [interval?.low ?? difference, interval?.high ?? difference];
  return [
    {
      pair: `${model}${MINUS}${other_model}`,
      model,
      other: other_model,
      context,
      n_instances,
      difference,
      interval,
      scale,
      x: difference * scale,
      x1: low * scale,
      x2: high * scale,
      isClear: interval !== null && (low > 0 || high < 0),
    },
  ];
}

const MINUS = ' − ';
