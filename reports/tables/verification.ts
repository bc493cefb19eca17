import { formatNumber } from '../../formatting/count-text';
import { formatPercent } from '../../formatting/numbers';
import type { TableColumn } from '../../formatting/table';
import { VERDICT_NAMES } from '../../rules/verification/summary';
import type { VerificationResults, VerificationSummary } from '../../schemas/verification/verification';
import type { ReportTable } from './section';

/** The totals of a verification, by instance type. */
export function buildVerificationTable({
  all,
  by_type,
}: Pick<VerificationResults, 'all' | 'by_type'>): Pick<ReportTable, 'columns' | 'rows'> {
  const rows = [
    ...by_type.map((one) => [one.instance_type, ...renderCells(one)]),
    ...(by_type.length > 1 ? [['all', ...renderCells(all)]] : []),
  ];
  return { columns: COLUMNS, rows };
}

const COLUMNS: readonly TableColumn[] = [
  { title: '' },
  { title: 'instances' },
  { title: 'accepted' },
  ...VERDICT_NAMES.map((title) => ({ title, group: 'verdict yes, %' })),
];

/** Counts, and the share of each verdict among the instances that it applies to. */
function renderCells({ instances, accepted, verdicts }: VerificationSummary): string[] {
  const shares = VERDICT_NAMES.map((name) => {
    const { yes, no, unknown } = verdicts[name];
    const applies = yes + no + unknown;
    return formatPercent(applies === 0 ? null : yes / applies);
  });
  return [formatNumber(instances), formatNumber(accepted), ...shares];
}
