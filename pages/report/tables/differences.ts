import type { ContextDifference, ModelDifference } from '../../../schemas/evaluation/results/summary';
import type { Task } from '../../../schemas/evaluation/evaluation';
import { MEASURES } from '../../../schemas/evaluation/measure';
import { formatSigned, formatSignedInterval } from '../../../schemas/text/numbers';
import type { TableColumn, TableRow } from '../../../schemas/text/table';
import { groupBy } from '../../../rules/group-by';
import { indentName, groupByEvaluation, buildRowsByContext, buildSections, type Section } from './section';

/** Builds tables that compare every two models in one setting. */
export function buildDifferenceSections(differences: readonly ModelDifference[]): Section[] {
  return buildSections(
    'differences',
    'Models against each other',
    'Each model minus each of the others, over the n instances scored for both; 95 % intervals.',
    groupByEvaluation(differences).map(({ task, line, entries }) => ({
      above: [line],
      columns: buildDifferenceColumns(COMPARED[task]),
      rows: buildRowsByContext(entries, buildRowsByModel),
    })),
  );
}

/** Builds tables that compare every two contexts of one model. */
export function buildContextDifferenceSections(differences: readonly ContextDifference[]): Section[] {
  return buildSections(
    'context-differences',
    'Contexts against each other',
    'Each context minus each of the others, over the n instances scored in both; 95 % intervals.',
    groupByEvaluation(differences).map(({ task, line, entries }) => ({
      above: [line],
      columns: buildDifferenceColumns(COMPARED[task]),
      rows: [...groupBy(entries, ({ model }) => model)].flatMap(([model, modelEntries]) => [
        model,
        ...[...groupBy(modelEntries, ({ context }) => context)].flatMap(([context, ofContext]) => [
          `${indentName(context)} minus`,
          ...ofContext.map(buildDifferenceRow),
        ]),
      ]),
    })),
  );
}

/** The values of each task, with the titles of their columns. */
const COMPARED: Readonly<
  Record<Task, readonly { readonly key: Value; readonly title: string; readonly group?: string }[]>
> = {
  inference: [
    { key: 'f1', title: '%', group: 'Micro F1' },
    { key: 'macro_f1', title: '%', group: 'Mean F1' },
  ],
  generation: [{ key: 'average_score', title: 'score' }],
  choice: [
    { key: 'accuracy', title: '%', group: 'Accuracy' },
    { key: 'paired_accuracy', title: '%', group: 'Paired accuracy' },
  ],
};

type Value = 'f1' | 'macro_f1' | 'average_score' | 'accuracy' | 'paired_accuracy';

function buildDifferenceColumns(values: (typeof COMPARED)[Task]): TableColumn[] {
  return [
    { title: '' },
    { title: 'n' },
    ...values.flatMap(({ title, group }) =>
      [title, '95 %'].map((name) => ({ title: name, ...(group === undefined ? {} : { group }) })),
    ),
  ];
}

function buildRowsByModel(differences: readonly ModelDifference[]): TableRow[] {
  return [...groupBy(differences, ({ model }) => model)].flatMap(([model, modelDifferences]) => [
    `${indentName(model)} minus`,
    ...modelDifferences.map(buildDifferenceRow),
  ]);
}

function buildDifferenceRow(difference: ModelDifference | ContextDifference): string[] {
  const { task, n_instances } = difference;
  const otherName = 'other_model' in difference ? difference.other_model : difference.other_context;
  const { format } = MEASURES[task];
  return [
    indentName(indentName(otherName)),
    `${n_instances}`,
    ...COMPARED[task].flatMap(({ key }) => buildDifferenceCells(difference[key], format)),
  ];
}

function buildDifferenceCells(
  value: ModelDifference['f1'],
  text: (typeof MEASURES)[Task]['format'],
): string[] {
  return [formatSigned(value?.difference, text), formatSignedInterval(value?.interval, text)];
}
