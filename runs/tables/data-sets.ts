import type { EvaluationResults } from '../../schemas/evaluation/results';
import { MEASURES } from '../../schemas/evaluation/measure';
import { type Table, toQuantity, toShare } from '../../schemas/text/table';
import { GUESS_TEXTS, GUESSES } from '../../schemas/dataset/guess';
import { groupBy } from '../../rules/group-by';
import { buildModelTable, buildSections, groupByEvaluation, omitEqualCounts, type Section } from './section';

type Analyses = Partial<Pick<EvaluationResults['analyses'], 'data_sets' | 'shortcuts'>>;

/** Builds tables that compare this data set with others: the same models, and models that ignore the history. */
export function buildDataSetSections({ data_sets = [], shortcuts = [] }: Analyses): Section[] {
  return buildSections(
    'data-sets',
    'This data set against others',
    'This minus the other (95 %). A sign of contamination or of difficulty: compare context none and the guesses, too.',
    [
      ...[...groupBy(data_sets, ({ other_data }) => other_data)].flatMap(([otherData, dataComparisons]) =>
        groupByEvaluation(dataComparisons).map(({ task, line, entries }) => {
          const { average: group, form } = MEASURES[task];
          const table = buildModelTable([line, `the other: ${otherData}`], entries, [
            { title: 'this', group, cell: ({ value, n_instances: n }) => toQuantity(value, form, { n }) },
            {
              title: 'other',
              group,
              cell: ({ other_value, other_n_instances: n }) => toQuantity(other_value, form, { n }),
            },
            {
              title: 'difference',
              group,
              cell: ({ difference, interval }) => toQuantity(difference, form, { isSigned: true, interval }),
            },
          ]);
          return omitEqualCounts(table);
        }),
      ),
      ...(data_sets.length === 0 ? [] : buildShortcutTable(shortcuts)),
    ],
  );
}

/** Builds the accuracy of guesses in each data set: a shortcut that only one has makes its choices easier. */
function buildShortcutTable(shortcuts: NonNullable<Analyses['shortcuts']>): Table[] {
  if (shortcuts.length === 0) return [];
  return [
    {
      title: 'Choices: accuracy of guesses that ignore the history, in %',
      lines: shortcuts.slice(1).map(({ source }, at) => `other ${at + 1}: ${source}`),
      columns: shortcuts.flatMap((_, at) =>
        ['accuracy', 'chance'].map((title) => ({ title, group: at === 0 ? 'this' : `other ${at}` })),
      ),
      rows: GUESSES.map((guess) => ({
        name: GUESS_TEXTS[guess],
        cells: shortcuts.flatMap(({ guesses }) => {
          const figure = guesses[guess];
          return [toShare(figure), toQuantity(figure?.chance, 'percent')];
        }),
      })),
    },
  ];
}
