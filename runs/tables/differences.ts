import type { ContextDifference, ModelDifference } from '../../schemas/evaluation/results/summary';
import type { Task } from '../../schemas/evaluation/evaluation';
import { MEASURES } from '../../schemas/evaluation/measure';
import { type TableColumn, type TableRow, toQuantity } from '../../schemas/text/table';
import { groupBy } from '../../rules/group-by';
import { omitUndefined } from '../../schemas/omit-undefined';
import { indentRows, groupByEvaluation, buildRowsByContext, buildSections, type Section } from './section';

/** Builds tables that compare every two models in one setting. */
export function buildDifferenceSections(differences: readonly ModelDifference[]): Section[] {
  return buildSections(
    'differences',
    'Models against each other',
    'Each model minus each of the others, over the n instances scored for both; 95 % intervals.',
    groupByEvaluation(differences).map(({ task, line, entries }) => ({
      title: line,
      columns: buildDifferenceColumns(COMPARED[task]),
      rows: buildRowsByContext(entries, (contextDifferences) =>
        buildMinusRows(contextDifferences, ({ model }) => model),
      ),
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
      title: line,
      columns: buildDifferenceColumns(COMPARED[task]),
      rows: [...groupBy(entries, ({ model }) => model)].flatMap(([model, modelEntries]) => [
        { name: model, cells: [] },
        ...indentRows(buildMinusRows(modelEntries, ({ context }) => context)),
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
  return [{ title: 'n' }, ...values.map(({ title, group }) => omitUndefined({ title, group }))];
}

/** Builds the rows of the differences of each name to others. */
function buildMinusRows<Entry extends ModelDifference | ContextDifference>(
  differences: readonly Entry[],
  nameEntry: (difference: Entry) => string,
): TableRow[] {
  return [...groupBy(differences, nameEntry)].flatMap(([name, nameDifferences]) => [
    { name: `${name} minus`, cells: [] },
    ...indentRows(nameDifferences.map(buildDifferenceRow)),
  ]);
}

function buildDifferenceRow(difference: ModelDifference | ContextDifference): TableRow {
  const { task, n_instances } = difference;
  const name = 'other_model' in difference ? difference.other_model : difference.other_context;
  const { form } = MEASURES[task];
  return {
    name,
    cells: [
      toQuantity(n_instances),
      ...COMPARED[task].map(({ key }) => {
        const { difference: value, interval = null } = difference[key] ?? {};
        const { n_pairs: nPairs } = difference;
        return toQuantity(value, form, {
          isSigned: true,
          interval,
          ...(key === 'paired_accuracy' && nPairs !== null && { n: nPairs }),
        });
      }),
    ],
  };
}
