import type { StudyResults } from '../../../schemas/evaluation/results/studies';
import { readPaperNumbers } from '../../../data/paper';
import { ERROR_TYPES, type ErrorType } from '../../../schemas/evaluation/evaluation';
import { NOTHING, formatPercent } from '../../../schemas/text/numbers';
import type { TableColumn, TableRow } from '../../../schemas/text/table';
import { indentName, groupByEvaluation, buildRowsByContext, buildSections, type Section } from './section';

/** Builds table 2. */
export function buildErrorSections(shares: StudyResults['error_types'] = [], withPaper: boolean): Section[] {
  return buildSections(
    'errors',
    'Error types (table 2)',
    'Share (%) of each type among a sample of inferences with an F1 below 0.2, labeled by a model.',
    groupByEvaluation(shares).map(({ line, entries }) => ({
      above: [line],
      columns: COLUMNS,
      rows: [
        ...buildRowsByContext(entries, (contextEntries) =>
          contextEntries.map(({ model, n_labelled, n_missing, types }) =>
            buildErrorRow(
              model,
              n_labelled,
              n_missing,
              (type) => types.find((share) => share.type === type)?.share,
            ),
          ),
        ),
        ...(withPaper ? buildPaperRows() : []),
      ],
    })),
  );
}

/** Names of two words take two lines. */
const COLUMNS: readonly TableColumn[] = [
  { title: '' },
  { title: 'labelled' },
  { title: 'missing' },
  ...ERROR_TYPES.map((type) => {
    const [first, second] = type.split(' ');
    return second === undefined ? { title: type } : { title: second, group: first ?? type };
  }),
];

function buildErrorRow(
  model: string,
  labelledCount: number,
  missing: number | null,
  share: (type: ErrorType) => number | null | undefined,
): string[] {
  return [
    indentName(model),
    `${labelledCount}`,
    missing === null ? NOTHING : `${missing}`,
    ...ERROR_TYPES.map((type) => formatPercent(share(type))),
  ];
}

function buildPaperRows(): TableRow[] {
  return [
    'paper, context full, labeled by people',
    ...readPaperNumbers().errors.map(({ model, sampled, shares }) =>
      buildErrorRow(model, sampled, null, (type) => shares[type]),
    ),
  ];
}
