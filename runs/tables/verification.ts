import { formatCount } from '../../schemas/text/count-text';
import { formatPercent } from '../../schemas/text/numbers';
import { type Quantity, type Table, type TableColumn } from '../../schemas/text/table';
import { VERDICT_NAMES } from '../../rules/verification/summary';
import type { VerificationResults, VerificationSummary } from '../../schemas/verification/verification';

/** Builds the totals of a verification by instance type. */
export function buildVerificationTable({
  all,
  by_type,
}: Pick<VerificationResults, 'all' | 'by_type'>): Table<VerdictLink> {
  const types = Object.entries(by_type);
  const rows = [
    ...types.map(([type, typeCounts]) => ({ name: type, cells: buildVerdictCells(typeCounts, type) })),
    ...(types.length > 1 ? [{ name: 'all', cells: buildVerdictCells(all, '') }] : []),
  ];
  return { columns: COLUMNS, rows };
}

/** Describes the verifier's agreement with itself, and its recall without any history. */
export function describeSureness({
  self_agreement,
  request_recall: recall,
}: Pick<VerificationResults, 'self_agreement' | 'request_recall'>): string[] {
  const { share, n_personas: personas } = self_agreement;
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
  { title: 'instances' },
  { title: 'accepted' },
  ...VERDICT_NAMES.map((title) => ({ title, group: 'verdict yes, %' })),
];

/** The instances behind a number: of a type, or '' for all, with or without a verdict. */
interface VerdictLink {
  readonly type: string;
  readonly verdict: '' | 'accepted' | `not-${string}`;
}

/** Builds counts, and the share of each verdict among the instances that it applies to, which leads to those without it. */
function buildVerdictCells(
  { n_instances, accepted, verdicts }: VerificationSummary,
  type: string,
): Quantity<VerdictLink>[] {
  return [
    { value: n_instances, link: { type, verdict: '' } },
    { value: accepted, link: { type, verdict: 'accepted' } },
    ...VERDICT_NAMES.map((name): Quantity<VerdictLink> => {
      const { yes, no, unknown } = verdicts[name];
      const applies = yes + no + unknown;
      return {
        value: applies === 0 ? null : yes / applies,
        form: 'percent',
        ...(applies !== n_instances && applies > 0 && { n: applies }),
        link: { type, verdict: `not-${name}` },
      };
    }),
  ];
}
