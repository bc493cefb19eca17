import type { ReferenceResults } from '../../../schemas/evaluation/results/summary';
import { NOTHING, formatPercent, formatScore } from '../../../schemas/text/numbers';
import { groupBy } from '../../../rules/group-by';
import { buildModelTable, buildSections, type CellColumn, formatMatchers, type Section } from './section';

/** Builds the tables of the reference program's own sums, if they were requested. */
export function buildReferenceSections(sums: readonly ReferenceResults[] = []): Section[] {
  return buildSections(
    'reference',
    "The reference program's own sums",
    'In %, and mean score; a failed match or judgement counts 0, another failure drops the instance.',
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

type SumColumn = CellColumn<ReferenceResults>;

/** Builds the columns of the tasks that were run. */
function buildSumColumns(sums: readonly ReferenceResults[]): SumColumn[] {
  return [
    ...(sums.some(({ matcher }) => matcher !== null) ? INFERENCE_COLUMNS : []),
    ...(sums.some(({ judge }) => judge !== null) ? GENERATION_COLUMNS : []),
    { title: 'dropped', text: ({ n_dropped }) => `${n_dropped}` },
  ];
}

const INFERENCE_COLUMNS: readonly SumColumn[] = [
  { title: 'P', group: 'Inference', text: ({ inference }) => formatPercent(inference?.precision) },
  { title: 'R', group: 'Inference', text: ({ inference }) => formatPercent(inference?.recall) },
  { title: 'F1', group: 'Inference', text: ({ inference }) => formatPercent(inference?.f1) },
  { title: 'n', group: 'Inference', text: ({ inference }) => `${inference?.n_instances ?? NOTHING}` },
];

const GENERATION_COLUMNS: readonly SumColumn[] = [
  { title: 'score', group: 'Generation', text: ({ generation }) => formatScore(generation?.average_score) },
  { title: 'n', group: 'Generation', text: ({ generation }) => `${generation?.n_instances ?? NOTHING}` },
];
