import { dirname } from 'node:path';
import { describeWeakChoices, listFigures } from '../../data/card/figures';
import { listStatistics, STATISTICS_COLUMNS } from '../../data/card/statistics';
import { listClosedPersonas } from '../../data/run/artifacts';
import { findRunStatistics } from '../../data/run/statistics';
import { formatNumber } from '../../schemas/text/count-text';
import { findVerification } from '../report/synthesis-report';
import { buildVerificationTable } from '../report/tables/verification';
import type { SummaryTable, SummaryView } from './answers';
import type { Sources } from './sources';

/** Reads the progress of a run, the statistics and quality of its data, and the verdicts on them, as far as there are any. */
export async function readSummary({ run, verification }: Sources): Promise<SummaryView> {
  const results = verification === undefined ? undefined : await findVerification(dirname(verification));
  const verdicts = results === undefined ? undefined : buildVerificationTable(results);
  const verified: SummaryTable[] =
    results === undefined || verdicts === undefined
      ? []
      : [
          {
            title: `Verdicts of ${results.verifier}`,
            columns: verdicts.columns.map(({ title, group }) =>
              group === undefined ? title : `${title}, %`,
            ),
            rows: verdicts.rows.filter((row) => typeof row !== 'string'),
          },
        ];
  if (run === undefined) return { facts: [], warnings: [], tables: verified };
  const { finished, failed } = await listClosedPersonas(run.folder.store);
  const counted = await findRunStatistics(run.folder.store);
  const { nPersonas } = run.plan.inputs.settings;
  return {
    facts: [
      `${formatNumber(finished.length)} of ${formatNumber(nPersonas)} personas finished, ${formatNumber(failed.length)} failed`,
    ],
    warnings: counted === undefined ? [] : describeWeakChoices(counted.figures),
    tables: [
      ...(counted === undefined
        ? []
        : [
            { title: 'Statistics', columns: STATISTICS_COLUMNS, rows: listStatistics(counted.statistics) },
            {
              title: 'Quality',
              columns: ['', 'Here', '95 %'],
              rows: listFigures(counted.figures)
                .filter(({ value }) => value !== 'unknown')
                .map(({ name, value, interval }) => [name, value, interval]),
            },
          ]),
      ...verified,
    ],
  };
}
