import { LEAST_ACCEPTED } from '../../rules/analyses/stress';
import type { StudyResults } from '../../schemas/evaluation/results/studies';
import type { StressKind } from '../../schemas/evaluation/stress';
import { formatPercent } from '../../schemas/text/numbers';
import { type Table, type TableRow, toQuantity, toShare } from '../../schemas/text/table';
import { buildSections, formatMatcher, indentRows, type Section } from './section';

type Evaluator = NonNullable<StudyResults['stress']>['evaluators'][number];

/** Builds the tables of matchers and judges on answers of known truth. */
export function buildStressSections(stress: StudyResults['stress']): Section[] {
  if (stress === undefined) return [];
  const { n_requested, n_personas, evaluators } = stress;
  const judges = evaluators.filter(({ evaluator_form: form }) => form === 'judge');
  const matchers = evaluators.filter((evaluator) => !judges.includes(evaluator));
  const personas = `Personas: ${n_personas}${n_personas < n_requested ? ` of ${n_requested} requested, because the data have no more` : ''}`;
  const buildTable = (heading: string, tableEvaluators: readonly Evaluator[], mean: string): Table => ({
    title: heading,
    lines: [personas],
    columns: ['n', 'missing', 'lacking', 'accepted', mean].map((title) => ({ title })),
    rows: tableEvaluators.flatMap(buildEvaluatorRows),
  });
  return buildSections(
    'stress',
    'Matchers and judges on answers of known truth',
    `Accepted (%): recall of at least ${formatPercent(LEAST_ACCEPTED.recall)} %, score of at least ${LEAST_ACCEPTED.score}. Lacking: not in data or responses.`,
    [
      buildTable('Matchers: preferences against the true checklist', matchers, 'recall'),
      buildTable(
        "Judges: responses on the other row's checklist; right ones, on their own, need --oracle-preference",
        judges,
        'score',
      ),
    ],
  );
}

function buildEvaluatorRows(evaluator: Evaluator): TableRow[] {
  const form = evaluator.evaluator_form === 'judge' ? 'score' : 'percent';
  return [
    { name: formatMatcher(evaluator), cells: [] },
    ...indentRows(
      evaluator.kinds.map(({ kind, n_answers, n_missing, n_lacking, acceptance_rate: rate, mean }) => ({
        name: TITLES[kind],
        cells: [
          ...[n_answers, n_missing, n_lacking].map((count) => toQuantity(count)),
          toShare(rate),
          toQuantity(mean, form),
        ],
      })),
    ),
  ];
}

const TITLES: Readonly<Record<StressKind, string>> = {
  true: 'right',
  original: 'before the change',
  contrastive: 'contrastive',
  'other-persona': "another persona's",
  general: 'fits everybody',
  'other-row': "the other row's",
};
