import type { EvaluationResults } from '../../schemas/evaluation/results';
import type { HistoryResults } from '../../schemas/evaluation/results/analyses';
import { getContextForm } from '../../schemas/evaluation/context';
import { MEASURES } from '../../schemas/evaluation/measure';
import { toQuantity, type Table, type TableColumn, type TableRow } from '../../schemas/text/table';
import { isSameCell } from '../../rules/analyses/groups';
import { DEPTHS } from '../../rules/analyses/histories';
import { findContextDifference } from '../../rules/analyses/model-comparison';
import { groupBy } from '../../rules/group-by';
import { getMainNumber } from './result-cell';
import { buildSections, groupByEvaluation, indentRows, type EvaluationGroup, type Section } from './section';

type HistoryInputs = Pick<EvaluationResults, 'cells' | 'context_differences'> & {
  readonly analyses: Pick<EvaluationResults['analyses'], 'histories'>;
};

/** Builds the tables of extended histories: results by length with the difference to the own history, and by depth of the evidence. */
export function buildHistorySections({
  cells,
  context_differences: differences,
  analyses: { histories },
}: HistoryInputs): Section[] {
  const groups = groupByEvaluation(histories);
  return [
    ...buildSections(
      'histories',
      'By length of the extended history',
      'Micro F1 or accuracy (%), or mean score; difference to the own history over the n instances scored with both; 95 % intervals.',
      groups.map((group) => buildLengthTable(group, { cells, differences })),
    ),
    ...buildSections(
      'depths',
      'By depth of the relevant sessions in the extended history',
      'Mean F1 or accuracy (%), or score, by fifths of the history: 0 % is its beginning, 100 % the request.',
      groups.map(buildDepthTable),
    ),
  ];
}

function buildLengthTable(
  { task, line, entries }: EvaluationGroup<HistoryResults>,
  {
    cells,
    differences,
  }: {
    readonly cells: EvaluationResults['cells'];
    readonly differences: EvaluationResults['context_differences'];
  },
): Table {
  const { title, form: unit } = MEASURES[task];
  const buildRow = (entry: HistoryResults): TableRow => {
    const cell = cells.find((candidate) => isSameCell(candidate, entry));
    const { value, interval = null } = getMainNumber(cell?.all);
    const form = getContextForm(entry.context);
    const change =
      form === 'preference' || entry.context === form
        ? null
        : findContextDifference(differences, entry, form);
    return {
      name: entry.context,
      cells: [
        toQuantity(Math.round(entry.mean_tokens)),
        toQuantity(entry.n_instances),
        toQuantity(value, unit, { interval }),
        toQuantity(change?.difference, unit, { isSigned: true, interval: change?.interval ?? null }),
        toQuantity(change?.n_instances),
      ],
    };
  };
  const columns: TableColumn[] = [
    { title: 'tokens' },
    { title: 'n' },
    { title },
    { title, group: 'To own' },
    { title: 'n', group: 'To own' },
  ];
  return { title: line, columns, rows: buildModelRows(entries, buildRow) };
}

function buildDepthTable({ task, line, entries }: EvaluationGroup<HistoryResults>): Table {
  const { title, form } = MEASURES[task];
  return {
    title: line,
    columns: DEPTHS.flatMap((depth) => [
      { title: 'n', group: formatDepth(depth) },
      { title, group: formatDepth(depth) },
    ]),
    rows: buildModelRows(entries, ({ context, by_depth }) => ({
      name: context,
      cells: DEPTHS.flatMap((depth) => {
        const bin = by_depth.find(({ max_depth }) => max_depth === depth);
        return [toQuantity(bin?.n_instances), toQuantity(bin?.mean, form)];
      }),
    })),
  };
}

/** Formats a fifth of the history by its end, such as `to 40 %`. */
function formatDepth(depth: number): string {
  return `to ${Math.round(depth * 100)} %`;
}

function buildModelRows(
  entries: readonly HistoryResults[],
  buildRow: (entry: HistoryResults) => TableRow,
): TableRow[] {
  return [...groupBy(entries, ({ model }) => model)].flatMap(([model, modelEntries]) => [
    { name: model, cells: [] },
    ...indentRows(modelEntries.map(buildRow)),
  ]);
}
