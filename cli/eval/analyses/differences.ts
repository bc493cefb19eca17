import type { EvaluationResults } from '../../../evaluations/results';
import { percent, points, signed, signedInterval } from '../../text/numbers';
import type { TableColumn, TableRow } from '../../text/table';
import { grouped } from '../../../rules/group-by';
import { beneath, byEvaluation, rowsByContext, section } from './section';

type Difference = EvaluationResults['differences'][number];

/** Every two models in one setting. */
export function differenceTables(differences: EvaluationResults['differences']): string[] {
  return section(
    'Models against each other',
    'Each model minus each of the others, over the n instances scored for both; 95 % intervals.',
    byEvaluation(differences).map(({ task, line, entries }) => ({
      above: [line],
      columns: task === 'inference' ? INFERENCE_COLUMNS : GENERATION_COLUMNS,
      rows: rowsByContext(entries, rowsByModel),
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

function rowsByModel(differences: readonly Difference[]): TableRow[] {
  return [...grouped(differences, ({ model }) => model)].flatMap(([model, own]) => [
    `${beneath(model)} minus`,
    ...own.map(row),
  ]);
}

function row({ task, other, n_instances, f1, macro_f1, average_score }: Difference): string[] {
  const name = beneath(beneath(other));
  return task === 'inference'
    ? [name, `${n_instances}`, ...cells(f1, percent), ...cells(macro_f1, percent)]
    : [name, `${n_instances}`, ...cells(average_score, points)];
}

function cells(value: Difference['f1'], text: typeof percent): string[] {
  return [signed(value?.difference, text), signedInterval(value?.interval, text)];
}
