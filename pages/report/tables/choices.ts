import type { EvaluationResults, ResultCell } from '../../../schemas/evaluation/results';
import {
  formatCoefficient,
  formatInterval,
  formatPercent,
  formatProbability,
} from '../../../schemas/text/numbers';
import type { TableColumn, TableRow } from '../../../schemas/text/table';
import { INSTANCE_TYPES } from '../../../schemas/dataset/instance-type';
import { buildModelTable, buildSections, formatMatchers, type Section } from './section';
import { GROUP_TITLES } from './result-cell';

const INTERVAL = '95 %';

export const CHOICE_COLUMNS: readonly TableColumn[] = [
  { title: '' },
  ...['%', INTERVAL, 'chance'].map((title) => ({ title, group: 'Accuracy' })),
  ...INSTANCE_TYPES.map((type) => ({ title: GROUP_TITLES[type] })),
  ...['%', INTERVAL, 'chance', 'n'].map((title) => ({ title, group: 'Paired' })),
  { title: 'All three' },
];

/** Builds the row of a model's choices. */
export function buildChoiceRow({ all, by_type }: Pick<ResultCell, 'all' | 'by_type'>): TableRow {
  const { choice } = all;
  return [
    '',
    formatPercent(choice?.accuracy),
    formatInterval(choice?.intervals.accuracy, formatPercent),
    formatPercent(choice?.chance),
    ...INSTANCE_TYPES.map((type) => formatPercent(by_type[type]?.choice?.accuracy)),
    formatPercent(choice?.paired_accuracy),
    formatInterval(choice?.intervals.paired_accuracy, formatPercent),
    formatPercent(choice?.paired_chance),
    `${choice?.n_pairs ?? 0}`,
    formatPercent(choice?.triple_accuracy),
  ];
}

/** Explains the numbers of a choice. */
export const CHOICE_LINES = [
  'Paired: the consistent and the changing row of a persona are both right. A model that gives both the same answer has 0;',
  'chance is that of blind guesses. Context none measures what a model has without the history.',
];

/** Builds a table of the kinds of wrong answers. */
export function buildChoiceErrorSections(cells: readonly ResultCell[]): Section[] {
  const choices = cells.filter(({ task }) => task === 'choice');
  return buildSections(
    'choice-errors',
    'Wrong choices',
    'Stale: the preference before the change, in % of changing rows; the others in % of all rows.',
    [
      buildModelTable([], choices, [
        { title: 'stale', text: ({ by_type }) => formatPercent(by_type.changing?.choice?.errors?.stale) },
        { title: 'wrong context', text: ({ all }) => formatPercent(all.choice?.errors?.wrong_context) },
        { title: 'other', text: ({ all }) => formatPercent(all.choice?.errors?.other) },
      ]),
    ],
  );
}

/** Builds a table for each evaluation of inference: its F1 beside the choices. Omits those of fewer than three models. */
export function buildChoiceSections(comparisons: EvaluationResults['analyses']['choices']): Section[] {
  return buildSections(
    'choices',
    'Inference against choice',
    'Micro F1, accuracy and paired accuracy (%), and the correlation of F1 and paired accuracy over models.',
    comparisons
      .filter(({ models }) => models.length >= 3)
      .map(({ models, correlation: { r, p }, context, ...evaluation }) => ({
        above: [`${formatMatchers(evaluation)}; context ${context}`],
        columns: ['', 'F1', 'accuracy', 'paired'].map((title) => ({ title })),
        rows: [
          ...models.map(({ model, f1, accuracy, paired_accuracy }) => [
            model,
            ...[f1, accuracy, paired_accuracy].map(formatPercent),
          ]),
          ["Pearson's r", '', '', formatCoefficient(r)],
          ['p', '', '', formatProbability(p)],
        ],
      })),
  );
}
