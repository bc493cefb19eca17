import type { EvaluationResults } from '../../../schemas/evaluation/results';
import { MEASURES } from '../../../schemas/evaluation/measure';
import {
  formatInterval,
  formatPercent,
  formatSigned,
  formatSignedInterval,
} from '../../../schemas/text/numbers';
import { GUESSES } from '../../../schemas/dataset/data-figures';
import { nameGuess } from '../../../data/card/figures';
import { groupBy } from '../../../rules/group-by';
import { buildModelTable, buildSections, groupByEvaluation, type ReportTable, type Section } from './section';

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
          const { average: group, format } = MEASURES[task];
          return buildModelTable([line, `the other: ${otherData}`], entries, [
            { title: 'this', group, text: ({ value }) => format(value) },
            { title: 'other', group, text: ({ other_value }) => format(other_value) },
            { title: 'difference', group, text: ({ difference }) => formatSigned(difference, format) },
            { title: '95 %', group, text: ({ interval }) => formatSignedInterval(interval, format) },
          ]);
        }),
      ),
      ...(data_sets.length === 0 ? [] : buildShortcutTable(shortcuts)),
    ],
  );
}

/** Builds the accuracy of guesses in each data set: a shortcut that only one has makes its choices easier. */
function buildShortcutTable(shortcuts: NonNullable<Analyses['shortcuts']>): ReportTable[] {
  if (shortcuts.length === 0) return [];
  return [
    {
      above: [
        'Choices: accuracy of guesses that ignore the history, in %',
        ...shortcuts.slice(1).map(({ source }, at) => `other ${at + 1}: ${source}`),
      ],
      columns: [
        { title: '' },
        ...shortcuts.flatMap((_, at) =>
          ['accuracy', '95 %', 'chance'].map((title) => ({
            title,
            group: at === 0 ? 'this' : `other ${at}`,
          })),
        ),
      ],
      rows: GUESSES.map((guess) => [
        nameGuess(guess),
        ...shortcuts.flatMap(({ guesses }) => {
          const figure = guesses[guess];
          return [
            formatPercent(figure?.share),
            formatInterval(figure?.interval, formatPercent),
            formatPercent(figure?.chance),
          ];
        }),
      ]),
    },
  ];
}
