import { dirname } from 'node:path';
import { describeWeakChoices, type FigureText, listFigures } from '../../data/card/figures';
import { listStatistics, STATISTICS_COLUMNS } from '../../data/card/statistics';
import { listClosedPersonas } from '../../data/run/artifacts';
import { findRunStatistics } from '../../data/run/statistics';
import { INSTANCE_TYPES } from '../../schemas/dataset/instance-type';
import type { DataFigures } from '../../schemas/dataset/data-figures';
import type { ReviewSummary } from '../../rules/review/summary';
import { LABELLED_STATE_TEXTS, LABELLED_STATES } from '../../schemas/review/label-texts';
import { formatCount, formatNumber } from '../../schemas/text/count-text';
import { readVerificationResults } from '../../data/sets/verification';
import type { VerificationResults } from '../../schemas/verification/verification';
import { buildReviewTable, describeAgreement } from '../report/tables/review';
import { buildVerificationTable, describeSureness } from '../report/tables/verification';
import type { CellView, SummaryView, TableView } from './answers';
import type { Sources } from './sources';
import { buildTableView } from './table-view';

/** Reads the progress of a run, the statistics and quality of its data, and the verdicts on them, as far as there are any. */
export async function readSummary(
  { run, verification }: Sources,
  review: ReviewNumbers | undefined,
): Promise<SummaryView> {
  const results =
    verification === undefined ? undefined : await readVerificationResults(dirname(verification));
  const verdicts = [
    ...(results === undefined ? [] : [buildVerdictView(results)]),
    ...(review === undefined ? [] : buildReviewViews(review)),
  ];
  if (run === undefined) return { facts: [], warnings: [], tables: verdicts };
  const { finished, failed } = await listClosedPersonas(run.folder.store);
  const runStatistics = await findRunStatistics(run.folder.store);
  const { nPersonas } = run.plan.inputs.settings;
  return {
    facts: [
      `${formatNumber(finished.length)} of ${formatNumber(nPersonas)} personas finished, ${formatNumber(failed.length)} failed`,
    ],
    warnings: runStatistics === undefined ? [] : describeWeakChoices(runStatistics.figures),
    tables: [
      ...(runStatistics === undefined
        ? []
        : [
            {
              title: 'Statistics',
              above: [],
              columns: STATISTICS_COLUMNS,
              rows: listStatistics(runStatistics.statistics).map(([name, value, paper]) => [
                { text: name },
                // All instances are behind a mean.
                { text: value, to: { from: '0' } },
                { text: paper },
              ]),
            },
            buildQualityView(runStatistics.figures),
          ]),
      ...verdicts,
    ],
  };
}

function buildQualityView(figures: DataFigures): TableView {
  return {
    title: 'Quality',
    above: ['A share that should be high leads to the instances that lower it.'],
    columns: ['', 'Here', '95 %', 'Look closer'],
    rows: listFigures(figures)
      .filter(({ value }) => value !== 'unknown')
      .map(({ name, value, interval, limit, isOutside, ...figure }) => [
        { text: name },
        { text: value, to: linkFigure(figures, figure) },
        { text: interval },
        { text: limit, mark: isOutside ? 'out of range' : undefined },
      ]),
  };
}

/** Returns the view of the list that shows the instances behind a figure: for a mean, all of them. */
function linkFigure(figures: DataFigures, { key, guess }: Pick<FigureText, 'key' | 'guess'>): CellView['to'] {
  const failure = FAILURES[key];
  if (failure !== undefined) return { failure };
  if (guess !== undefined) return { guess };
  if (key === 'preferenceInRequest') return { sort: 'leakage' };
  if (key === 'nearlyEqualOptions') return linkPersonas(figures[key]?.pairs.map(({ persona_id: id }) => id));
  if (key === 'unchangedPreference' || key === 'repeatedNames' || key === 'nearDuplicatePersonas')
    return linkPersonas(figures[key]?.personas);
  return { from: '0' };
}

/** @param personas undefined if the figure is unknown */
function linkPersonas(personas: readonly string[] | undefined): CellView['to'] {
  return personas === undefined || personas.length === 0 ? undefined : { personas: personas.join('\n') };
}

const FAILURES: Partial<Record<keyof DataFigures, string>> = {
  leakage: 'leakage',
  endedAtFirstAnswer: 'first-answer',
  unsatisfiedDialogues: 'unsatisfied',
  endedAtTurnLimit: 'turn-limit',
  indirectness: 'quoting',
  selection: 'unselected',
  coverage: 'untouched',
  withoutChoice: 'no-choice',
};

/** Builds a table whose counts and shares link to the instances: a share to those without the verdict. */
function buildVerdictView(results: VerificationResults): TableView {
  const { columns, rows } = buildVerificationTable(results);
  return {
    title: `Verdicts of ${results.verifier}`,
    above: describeSureness(results),
    columns: columns.map(({ title, group }) => (group === undefined ? title : `${title}, %`)),
    rows: rows.map((row) => {
      const [name = '', ...numbers] = [row].flat();
      const type = INSTANCE_TYPES.find((instanceType) => instanceType === name) ?? '';
      return [
        { text: name },
        ...numbers.map((text, at): CellView => {
          const verdict = ['', 'accepted'][at] ?? `not-${columns[at + 1]?.title ?? ''}`;
          return { text, to: { type, verdict } };
        }),
      ];
    }),
  };
}

/** The numbers of a review, and of the instances by what raters decided. */
export interface ReviewNumbers {
  readonly summary: ReviewSummary;
  readonly instances: Readonly<Record<(typeof LABELLED_STATES)[number], number>>;
}

function buildReviewViews({ summary, instances }: ReviewNumbers): TableView[] {
  return [
    {
      title: 'Review by people',
      above: [`${formatNumber(summary.decidedTasks)} of ${formatCount(summary.tasks, 'task')} decided`],
      columns: ['', 'Instances'],
      rows: LABELLED_STATES.map((labels) => [
        { text: LABELLED_STATE_TEXTS[labels] },
        { text: formatNumber(instances[labels]), to: { labels } },
      ]),
    },
    buildTableView('Labels of the raters', {
      above: [describeAgreement(summary)],
      ...buildReviewTable(summary),
    }),
  ];
}
