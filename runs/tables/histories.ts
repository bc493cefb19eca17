import type { EvaluationResults } from '../../schemas/evaluation/results';
import type { HistoryResults } from '../../schemas/evaluation/results/analyses';
import { getContextForm, getHistoryTier, type HistoryForm } from '../../schemas/evaluation/context';
import { MEASURES } from '../../schemas/evaluation/measure';
import { toQuantity, type Table, type TableColumn, type TableRow } from '../../schemas/text/table';
import { isSameCell } from '../../rules/analyses/groups';
import { DEPTHS } from '../../rules/analyses/histories';
import { findContextDifference } from '../../rules/analyses/model-comparison';
import { groupBy } from '../../rules/group-by';
import { getMainNumber } from './result-cell';
import { buildSections, groupByEvaluation, indentRows, type EvaluationGroup, type Section } from './section';

type HistoryInputs = Pick<EvaluationResults, 'cells' | 'context_differences'> & {
  readonly analyses: Pick<EvaluationResults['analyses'], 'histories' | 'memory'>;
};

/**
 * Builds the tables of extended histories: results by length with the differences to the own history, and to the same history in full; and by depth of
 * the evidence.
 */
export function buildHistorySections(results: HistoryInputs): Section[] {
  const groups = groupByEvaluation(results.analyses.histories);
  return [
    ...buildSections(
      'histories',
      'By length of the extended history',
      'Mean tokens of the history, and of what the model read of it. Micro F1 or accuracy (%), or mean score; differences over the n instances scored with both; 95 % intervals.',
      groups.map((group) => buildLengthTable(group, results)),
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
  { cells, context_differences: differences, analyses: { memory } }: HistoryInputs,
): Table {
  const { title, form: unit } = MEASURES[task];
  const findFull = ({ model, context }: HistoryResults) =>
    entries.find(
      (entry) =>
        entry.model === model &&
        entry.context !== context &&
        getContextForm(entry.context) === 'full' &&
        getHistoryTier(entry.context) === getHistoryTier(context),
    )?.context;
  const countReadTokens = ({ model, context, mean_tokens: tokens }: HistoryResults) =>
    getContextForm(context) === 'full'
      ? tokens
      : memory.find(
          (figures) =>
            figures.model === model && figures.context === context && figures.instance_type === 'all',
        )?.mean_tokens;
  const buildDifference = (entry: HistoryResults, context: HistoryForm | undefined) => {
    const isOther = context !== undefined && context !== entry.context;
    const stored = isOther ? findContextDifference(differences, entry, context) : null;
    const { difference, interval = null, n_instances: n } = stored ?? {};
    return [toQuantity(difference, unit, { isSigned: true, interval }), toQuantity(n)];
  };
  const hasOtherForms = entries.some((entry) => findFull(entry) !== undefined);
  const buildRow = (entry: HistoryResults): TableRow => {
    const cell = cells.find((candidate) => isSameCell(candidate, entry));
    const { value, interval = null } = getMainNumber(cell?.all);
    return {
      name: entry.context,
      cells: [
        ...[entry.mean_tokens, countReadTokens(entry)].map((tokens) =>
          toQuantity(tokens === undefined ? undefined : Math.round(tokens)),
        ),
        toQuantity(entry.n_instances),
        toQuantity(value, unit, { interval }),
        ...buildDifference(entry, getContextForm(entry.context)),
        ...(hasOtherForms ? buildDifference(entry, findFull(entry)) : []),
      ],
    };
  };
  const columns: TableColumn[] = [
    { title: 'tokens' },
    { title: 'read' },
    { title: 'n' },
    { title },
    ...(hasOtherForms ? ['To own', 'To full'] : ['To own']).flatMap((group) => [
      { title, group },
      { title: 'n', group },
    ]),
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
