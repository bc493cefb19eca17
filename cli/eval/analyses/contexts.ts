import type { EvaluationResults } from '../../../evaluations/results';
import { GROUPS } from '../../../data/paper';
import { NOTHING, percent, points, signed } from '../../text/numbers';
import type { TableColumn, TableRow } from '../../text/table';
import { grouped } from '../../../rules/group-by';
import { GROUP_TITLES } from '../tables';
import { beneath, byEvaluation, section } from './section';

type Comparison = EvaluationResults['analyses']['contexts'][number];

/** Figure 6, tables 9 and 10; nothing for a model with one context. */
export function contextTables(comparisons: EvaluationResults['analyses']['contexts']): string[] {
  return section(
    'Contexts against the full history (figure 6, tables 9 and 10)',
    'Micro F1 (%) or mean score, and its difference from full over the n instances scored in both.',
    byEvaluation(comparisons).flatMap(({ task, line, entries }) => {
      const models = [...grouped(entries, ({ model }) => model)].filter(([, own]) => hasSeveral(own));
      if (models.length === 0) return [];
      return [
        {
          above: [line],
          columns: columnsOf(task === 'inference' ? 'F1' : 'score'),
          rows: models.flatMap(([model, own]) => [
            model,
            ...rowsOf(own, task === 'inference' ? 'f1' : 'average_score'),
          ]),
        },
      ];
    }),
  );
}

function hasSeveral(comparisons: readonly Comparison[]): boolean {
  return comparisons.some(({ contexts }) => contexts.length >= 2);
}

function columnsOf(title: string): TableColumn[] {
  return [
    { title: '' },
    ...GROUPS.flatMap((group) =>
      [title, 'to full', ...(group === 'all' ? ['n'] : [])].map((name) => ({
        title: name,
        group: GROUP_TITLES[group],
      })),
    ),
  ];
}

/** One model's contexts, the instance types side by side. */
function rowsOf(comparisons: readonly Comparison[], value: 'f1' | 'average_score'): TableRow[] {
  const text = value === 'f1' ? percent : points;
  const contexts = new Set(
    comparisons.flatMap((comparison) => comparison.contexts.map(({ context }) => context)),
  );
  return [...contexts].map((context) => [
    beneath(context),
    ...GROUPS.flatMap((group) => {
      const numbers = comparisons
        .find(({ instance_type }) => instance_type === group)
        ?.contexts.find((other) => other.context === context);
      const difference = numbers?.difference_to_full;
      return [
        text(numbers?.[value]),
        signed(difference?.[value], text),
        ...(group === 'all' ? [`${difference?.n_instances ?? NOTHING}`] : []),
      ];
    }),
  ]);
}
