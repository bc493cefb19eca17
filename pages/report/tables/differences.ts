import type { EvaluationResults } from '../../../runs/evaluate/results';
import {
  formatPercent,
  formatScore,
  formatSigned,
  formatSignedInterval,
} from '../../../schemas/text/numbers';
import type { TableColumn, TableRow } from '../../../schemas/text/table';
import { groupBy } from '../../../rules/group-by';
import { indentName, groupByEvaluation, buildRowsByContext, buildSections, type Section } from './section';

type Difference = EvaluationResults['differences'][number];

/** Builds tables that compare every two models in one setting. */
export function buildDifferenceSections(differences: EvaluationResults['differences']): Section[] {
  return buildSections(
    'differences',
    'Models against each other',
    'Each model minus each of the others, over the n instances scored for both; 95 % intervals.',
    groupByEvaluation(differences).map(({ task, line, entries }) => ({
      above: [line],
      columns: task === 'inference' ? INFERENCE_COLUMNS : GENERATION_COLUMNS,
      rows: buildRowsByContext(entries, buildRowsByModel),
    })),
  );
}

const INFERENCE_COLUMNS: readonly TableColumn[] = [
  { title: '' },
  { title: 'n' },
  { title: '%', group: 'Micro F1' },
  { title: '95 %', group: 'Micro F1' },
  { title: '%', group: 'Mean F1' },
  { title: '95 %', group: 'Mean F1' },
];

const GENERATION_COLUMNS: readonly TableColumn[] = [
  { title: '' },
  { title: 'n' },
  { title: 'score' },
  { title: '95 %' },
];

function buildRowsByModel(differences: readonly Difference[]): TableRow[] {
  return [...groupBy(differences, ({ model }) => model)].flatMap(([model, own]) => [
    `${indentName(model)} minus`,
    ...own.map(buildRow),
  ]);
}

function buildRow({ task, other, n_instances, f1, macro_f1, average_score }: Difference): string[] {
  const name = indentName(indentName(other));
  return task === 'inference'
    ? [name, `${n_instances}`, ...buildCells(f1, formatPercent), ...buildCells(macro_f1, formatPercent)]
    : [name, `${n_instances}`, ...buildCells(average_score, formatScore)];
}

function buildCells(value: Difference['f1'], text: typeof formatPercent): string[] {
  return [formatSigned(value?.difference, text), formatSignedInterval(value?.interval, text)];
}
