import { formatCount, formatNumber } from '../../../schemas/text/count-text';
import { formatPercent } from '../../../schemas/text/numbers';
import type { TableColumn } from '../../../schemas/text/table';
import { VERDICT_NAMES } from '../../../rules/verification/summary';
import type { VerificationResults, VerificationSummary } from '../../../schemas/verification/verification';
import type { ReportTable } from './section';

/** Builds the totals of a verification by instance type. */
export function buildVerificationTable({
  all,
  by_type,
}: Pick<VerificationResults, 'all' | 'by_type'>): Pick<ReportTable, 'columns' | 'rows'> {
  const rows = [
    ...by_type.map((typeCounts) => [typeCounts.instance_type, ...renderCells(typeCounts)]),
    ...(by_type.length > 1 ? [['all', ...renderCells(all)]] : []),
  ];
  return { columns: COLUMNS, rows };
}

/** Describes the verifier's agreement with itself, and its recall without any history. */
export function describeSureness({
  self_agreement,
  request_recall: recall,
}: Pick<VerificationResults, 'self_agreement' | 'request_recall'>): string[] {
  const { share, personas } = self_agreement;
  return [
    share === null
      ? 'Agreement with itself: unknown, since no verdict was reached twice.'
      : `Agreement with itself: ${formatPercent(share)} % of the verdicts on ${formatCount(personas, 'persona')} verified twice.`,
    ...(recall === null
      ? []
      : [
          `Recall of the checklist from the current request alone, without any history (the lower, the less the request reveals): ${formatPercent(recall.share)} % (95 % interval: ${formatPercent(recall.interval.low)}–${formatPercent(recall.interval.high)} %).`,
        ]),
  ];
}

const COLUMNS: readonly TableColumn[] = [
  { title: '' },
  { title: 'instances' },
  { title: 'accepted' },
  ...VERDICT_NAMES.map((title) => ({ title, group: 'verdict yes, %' })),
];

/** Renders counts, and the share of each verdict among the instances that it applies to. */
function renderCells({ instances, accepted, verdicts }: VerificationSummary): string[] {
  const shares = VERDICT_NAMES.map((name) => {
    const { yes, no, unknown } = verdicts[name];
    const applies = yes + no + unknown;
    return formatPercent(applies === 0 ? null : yes / applies);
  });
  return [formatNumber(instances), formatNumber(accepted), ...shares];
}
