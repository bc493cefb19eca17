import type { StudyResults } from '../../schemas/evaluation/results/studies';
import { readPaperNumbers } from '../../data/paper';
import { ERROR_TYPES, type ErrorType } from '../../schemas/evaluation/evaluation';
import { type TableCell, type TableColumn, type TableRow, toQuantity } from '../../schemas/text/table';
import { indentRows, groupByEvaluation, buildRowsByContext, buildSections, type Section } from './section';

/** Builds table 2. */
export function buildErrorSections(shares: StudyResults['error_types'] = [], withPaper: boolean): Section[] {
  return buildSections(
    'errors',
    'Error types (table 2)',
    'Share (%) of each type among a sample of inferences with an F1 below 0.2, labeled by a model.',
    groupByEvaluation(shares).map(({ line, entries }) => ({
      title: line,
      columns: COLUMNS,
      rows: [
        ...buildRowsByContext(entries, (contextEntries) =>
          contextEntries.map(({ model: name, n_labeled, n_missing, types }) => ({
            name,
            cells: buildErrorCells(
              n_labeled,
              n_missing,
              (type) => types.find((share) => share.type === type)?.share,
            ),
          })),
        ),
        ...(withPaper ? buildPaperRows() : []),
      ],
    })),
  );
}

/** Names of two words take two lines. */
const COLUMNS: readonly TableColumn[] = [
  { title: 'labeled' },
  { title: 'missing' },
  ...ERROR_TYPES.map((type) => {
    const [first, second] = type.split(' ');
    return second === undefined ? { title: type } : { title: second, group: first ?? type };
  }),
];

function buildErrorCells(
  labelledCount: number,
  missing: number | null,
  getShare: (type: ErrorType) => number | null | undefined,
): TableCell[] {
  return [
    toQuantity(labelledCount),
    toQuantity(missing),
    ...ERROR_TYPES.map((type) => toQuantity(getShare(type), 'percent')),
  ];
}

function buildPaperRows(): TableRow[] {
  return [
    { name: 'paper, context full, labeled by people', cells: [] },
    ...indentRows(
      readPaperNumbers().errors.map(({ model: name, sampled, shares }) => ({
        name,
        cells: buildErrorCells(sampled, null, (type) => shares[type]),
      })),
    ),
  ];
}
