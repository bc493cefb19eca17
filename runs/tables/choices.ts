import type { EvaluationResults, ResultCell } from '../../schemas/evaluation/results';
import { type TableCell, type TableColumn, toQuantity } from '../../schemas/text/table';
import { INSTANCE_TYPES } from '../../schemas/dataset/instance-type';
import { buildModelTable, buildSections, formatMatchers, omitEqualCounts, type Section } from './section';
import { countType, GROUP_TITLES, toCount } from './result-cell';

export const CHOICE_COLUMNS: readonly TableColumn[] = [
  ...['%', 'chance'].map((title) => ({ title, group: 'Accuracy' })),
  ...INSTANCE_TYPES.map((type) => ({ title: GROUP_TITLES[type] })),
  ...['%', 'chance', 'n'].map((title) => ({ title, group: 'Paired' })),
  { title: 'All three' },
];

/** Builds the cells of a model's choices. */
export function buildChoiceCells({ all, by_type }: Pick<ResultCell, 'all' | 'by_type'>): TableCell[] {
  const { choice } = all;
  return [
    toQuantity(choice?.accuracy, 'percent', { interval: choice?.intervals.accuracy ?? null }),
    toQuantity(choice?.chance, 'percent'),
    ...INSTANCE_TYPES.map((type) =>
      toQuantity(by_type[type]?.choice?.accuracy, 'percent', countType({ by_type }, type)),
    ),
    toQuantity(choice?.paired_accuracy, 'percent', { interval: choice?.intervals.paired_accuracy ?? null }),
    toQuantity(choice?.paired_chance, 'percent'),
    toQuantity(choice?.n_pairs ?? 0),
    toQuantity(choice?.triple_accuracy, 'percent', toCount(choice?.n_triples)),
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
        {
          title: 'stale',
          cell: ({ by_type }) =>
            toQuantity(
              by_type.changing?.choice?.errors?.stale,
              'percent',
              countType({ by_type }, 'changing'),
            ),
        },
        {
          title: 'wrong context',
          cell: ({ all }) =>
            toQuantity(all.choice?.errors?.wrong_context, 'percent', toCount(all.choice?.n_instances)),
        },
        {
          title: 'other',
          cell: ({ all }) =>
            toQuantity(all.choice?.errors?.other, 'percent', toCount(all.choice?.n_instances)),
        },
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
      .map(({ models, correlation: { r, p }, context, ...evaluation }) =>
        omitEqualCounts({
          title: `${formatMatchers(evaluation)}; context ${context}`,
          columns: ['F1', 'accuracy', 'paired'].map((title) => ({ title })),
          rows: [
            ...models.map(
              ({
                model,
                f1,
                n_inference_instances,
                accuracy,
                n_choice_instances,
                paired_accuracy,
                n_pairs,
              }) => ({
                name: model,
                cells: [
                  toQuantity(f1, 'percent', toCount(n_inference_instances)),
                  toQuantity(accuracy, 'percent', toCount(n_choice_instances)),
                  toQuantity(paired_accuracy, 'percent', toCount(n_pairs)),
                ],
              }),
            ),
            { name: "Pearson's r", cells: ['', '', toQuantity(r, 'coefficient')] },
            { name: 'p', cells: ['', '', toQuantity(p, 'probability')] },
          ],
        }),
      ),
  );
}
