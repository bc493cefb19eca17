import { describeWeakChoices, listFigures, type QualityFigure } from '../../data/card/figures';
import { buildStatisticsTable } from '../../data/card/statistics';
import { listClosedPersonas } from '../../data/run/artifacts';
import { findRunStatistics } from '../../data/run/statistics';
import type { DataFigures } from '../../schemas/dataset/data-figures';
import type { ReviewSummary } from '../../rules/review/summary';
import { LABELLED_STATE_TEXTS, LABELLED_STATES } from '../../schemas/review/label-texts';
import { formatCount, formatNumber } from '../../schemas/text/count-text';
import type { VerificationResults } from '../../schemas/verification/verification';
import { buildReviewTable, describeAgreement } from '../../runs/tables/review';
import { buildVerificationTable, describeSureness } from '../../runs/tables/verification';
import { type Table, UNKNOWN } from '../../schemas/text/table';
import type { PageTable, SummaryView, ViewChange } from './answers';
import { linkTable } from './link-table';
import type { Sources } from './sources';

/** Reads the progress of a run, the statistics and quality of its data, and the verdicts on them, as far as there are any. */
export async function readSummary(
  { run }: Pick<Sources, 'run'>,
  results: VerificationResults | undefined,
  review: ReviewNumbers | undefined,
): Promise<SummaryView> {
  const verdicts = [
    ...(results === undefined
      ? []
      : [
          linkTable(
            {
              ...buildVerificationTable(results),
              title: `Verdicts of ${results.verifier}`,
              lines: describeSureness(results),
            },
            ({ type, verdict }) => ({ type, verdict }),
          ),
        ]),
    ...(review === undefined ? [] : buildReviewTables(review)),
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
            linkMeans({ ...buildStatisticsTable(runStatistics.statistics), title: 'Statistics' }),
            buildQualityTable(runStatistics.figures),
          ]),
      ...verdicts,
    ],
  };
}

/** Links the values of this data: all instances are behind a mean. */
function linkMeans({ rows, ...table }: Table): PageTable {
  return {
    ...table,
    rows: rows.map(({ name, cells: [mean, ...paper] }) => ({
      name,
      cells: [typeof mean === 'object' ? { ...mean, link: { from: '0' } } : '', ...paper],
    })),
  };
}

function buildQualityTable(figures: DataFigures): PageTable {
  return {
    title: 'Quality',
    lines: ['A share that should be high leads to the instances that lower it.'],
    columns: [{ title: 'Here' }, { title: 'Look closer' }],
    rows: listFigures(figures)
      .filter(({ value }) => value.text !== UNKNOWN)
      .map(({ name, value, basis, limit, isOutside, ...figure }) => ({
        name,
        ...(basis !== '' && { detail: basis }),
        cells: [
          { ...value, link: linkFigure(figures, figure) },
          isOutside ? { value: null, text: limit, mark: 'out of range' } : limit,
        ],
      })),
  };
}

/** Returns the view of the list that shows the instances behind a figure: for a mean, all of them. */
function linkFigure(
  figures: DataFigures,
  { key, guess }: Pick<QualityFigure, 'key' | 'guess'>,
): ViewChange | undefined {
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
function linkPersonas(personas: readonly string[] | undefined): ViewChange | undefined {
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

/** The numbers of a review, and of the instances by what raters decided. */
export interface ReviewNumbers {
  readonly summary: ReviewSummary;
  readonly instances: Readonly<Record<(typeof LABELLED_STATES)[number], number>>;
}

function buildReviewTables({ summary, instances }: ReviewNumbers): PageTable[] {
  const raters: Table = {
    ...buildReviewTable(summary),
    title: 'Labels of the raters',
    lines: [describeAgreement(summary)],
  };
  return [
    {
      title: 'Review by people',
      lines: [`${formatNumber(summary.decidedTasks)} of ${formatCount(summary.tasks, 'task')} decided`],
      columns: [{ title: 'Instances' }],
      rows: LABELLED_STATES.map((labels) => ({
        name: LABELLED_STATE_TEXTS[labels],
        cells: [{ value: instances[labels], link: { labels } }],
      })),
    },
    raters,
  ];
}
