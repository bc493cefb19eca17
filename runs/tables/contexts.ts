import type { ContextComparison } from '../../schemas/evaluation/results/analyses';
import type { Task } from '../../schemas/evaluation/evaluation';
import { GROUPS } from '../../data/paper';
import { MEASURES } from '../../schemas/evaluation/measure';
import { type TableColumn, type TableRow, toQuantity } from '../../schemas/text/table';
import { groupBy } from '../../rules/group-by';
import { GROUP_TITLES } from './result-cell';
import { groupByEvaluation, buildSections, indentRows, omitEqualCounts, type Section } from './section';

/** Builds figure 6, tables 9 and 10. Omits models with a single context. */
export function buildContextSections(comparisons: readonly ContextComparison[]): Section[] {
  return buildSections(
    'contexts',
    'Contexts against full (figure 6, tables 9 and 10)',
    'Micro F1 or accuracy (%), or mean score; difference from full over the n instances scored in both.',
    groupByEvaluation(comparisons).map(({ task, line, entries }) =>
      omitEqualCounts({
        title: line,
        columns: buildContextColumns(MEASURES[task].title),
        rows: [...groupBy(entries, ({ model }) => model)]
          .filter(([, modelComparisons]) => modelComparisons.some(({ contexts }) => contexts.length >= 2))
          .flatMap(([model, modelComparisons]) => [
            { name: model, cells: [] },
            ...indentRows(buildContextRows(modelComparisons, MEASURES[task])),
          ]),
      }),
    ),
  );
}

function buildContextColumns(title: string): TableColumn[] {
  return GROUPS.flatMap((group) =>
    [title, 'to full', ...(group === 'all' ? ['n'] : [])].map((name) => ({
      title: name,
      group: GROUP_TITLES[group],
    })),
  );
}

/** Builds a row for each context of a model, with the instance types side by side. */
function buildContextRows(
  comparisons: readonly ContextComparison[],
  { key, form }: (typeof MEASURES)[Task],
): TableRow[] {
  const contexts = new Set(
    comparisons.flatMap((comparison) => comparison.contexts.map(({ context }) => context)),
  );
  return [...contexts].map((context) => ({
    name: context,
    cells: GROUPS.flatMap((group) => {
      const numbers = comparisons
        .find(({ instance_type }) => instance_type === group)
        ?.contexts.find((candidate) => candidate.context === context);
      const difference = numbers?.difference_to_full;
      return [
        toQuantity(numbers?.[key], form),
        toQuantity(difference?.[key], form, {
          isSigned: true,
          ...(group !== 'all' && difference && { n: difference.n_instances }),
        }),
        ...(group === 'all' ? [toQuantity(difference?.n_instances)] : []),
      ];
    }),
  }));
}
