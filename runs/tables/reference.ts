import type { ReferenceResults } from '../../schemas/evaluation/results/summary';
import { toQuantity } from '../../schemas/text/table';
import { groupBy } from '../../rules/group-by';
import { buildModelTable, buildSections, type EntryColumn, formatMatchers, type Section } from './section';

/** Builds the tables of the reference program's own sums, if they were requested. */
export function buildReferenceSections(sums: readonly ReferenceResults[] = []): Section[] {
  return buildSections(
    'reference',
    "The reference program's own sums",
    'In %, and mean score; a failed match or judgment counts 0, another failure drops the instance.',
    [...groupBy(sums, formatEvaluators)].map(([line, lineResults]) =>
      buildModelTable([line], lineResults, buildSumColumns(lineResults)),
    ),
  );
}

function formatEvaluators({ matcher, judge }: ReferenceResults): string {
  return [
    ...(matcher === null ? [] : [formatMatchers(matcher)]),
    ...(judge === null ? [] : [`judged by ${judge}`]),
  ].join('; ');
}

type SumColumn = EntryColumn<ReferenceResults>;

/** Builds the columns of the tasks that were run. */
function buildSumColumns(sums: readonly ReferenceResults[]): SumColumn[] {
  return [
    ...(sums.some(({ matcher }) => matcher !== null) ? INFERENCE_COLUMNS : []),
    ...(sums.some(({ judge }) => judge !== null) ? GENERATION_COLUMNS : []),
    { title: 'dropped', cell: ({ n_dropped }) => toQuantity(n_dropped) },
  ];
}

const INFERENCE_COLUMNS: readonly SumColumn[] = [
  { title: 'P', group: 'Inference', cell: ({ inference }) => toQuantity(inference?.precision, 'percent') },
  { title: 'R', group: 'Inference', cell: ({ inference }) => toQuantity(inference?.recall, 'percent') },
  { title: 'F1', group: 'Inference', cell: ({ inference }) => toQuantity(inference?.f1, 'percent') },
  { title: 'n', group: 'Inference', cell: ({ inference }) => toQuantity(inference?.n_instances) },
];

const GENERATION_COLUMNS: readonly SumColumn[] = [
  {
    title: 'score',
    group: 'Generation',
    cell: ({ generation }) => toQuantity(generation?.average_score, 'score'),
  },
  { title: 'n', group: 'Generation', cell: ({ generation }) => toQuantity(generation?.n_instances) },
];
