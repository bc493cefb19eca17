import { listPresent } from '../../schemas/text/list-present';
import { formatAmount } from '../../schemas/text/amount-text';
import type { ModelRole } from '../../schemas/model/model-role';
import { formatCount, formatNumber } from '../../schemas/text/count-text';
import { buildTextTable } from '../../schemas/text/table';
import { renderBullets, formatCode, renderMarkdownTable } from './markdown';

/** Answers of a run and their cost, including those for work that failed or was left out. */
export interface CardCosts {
  /** By part and model, in the order they are shown. */
  readonly rows: readonly CostRow[];
  /** US dollars; undefined when a model has no price. */
  readonly usd: number | undefined;
  /** The day of the oldest price; undefined when no model has one. */
  readonly pricesCheckedOn: string | undefined;
}

/** Purpose of calls: a part of the synthesis, or the check of the models before the run. */
type CostPart = ModelRole | 'check';

export interface CostRow extends CostAmounts {
  readonly part: CostPart;
  /** `provider:model` */
  readonly model: string;
}

interface CostAmounts {
  /** Number of answers, rejected ones included. */
  readonly calls: number;
  /** Answers that were rejected, refusals included. */
  readonly bad: number;
  /** Answers from which reasoning was separated. */
  readonly separated: number;
  /** Answers from which special tokens or invented turns were cut off. */
  readonly trimmed: number;
  readonly input: number;
  readonly output: number;
  /** Calls whose tokens were not reported (no count, or no known end): the sums hold their expected tokens. */
  readonly estimated: number;
  /** US dollars; undefined without a price. */
  readonly usd: number | undefined;
}

export const PARTS: Readonly<Record<CostPart, string>> = {
  synthesis: 'writes personas, factors, sessions and checklists',
  user: 'plays the user',
  assistant: 'plays the assistant',
  check: 'was checked before the run',
};

/** Renders the table of costs; an unknown cost is shown as unknown. */
export function renderCosts(costs: CardCosts | undefined): string {
  if (costs === undefined) return 'The calls, the tokens and the cost are unknown.';
  const { rows, usd, pricesCheckedOn } = costs;
  const sum = (getAmount: (row: CostAmounts) => number) =>
    rows.reduce((total, row) => total + getAmount(row), 0);
  const total: CostAmounts = {
    calls: sum(({ calls }) => calls),
    bad: sum(({ bad }) => bad),
    separated: sum(({ separated }) => separated),
    trimmed: sum(({ trimmed }) => trimmed),
    input: sum(({ input }) => input),
    output: sum(({ output }) => output),
    estimated: sum(({ estimated }) => estimated),
    usd,
  };
  return [
    'All answers that the run received, including bad ones and those for personas that are not in the data:',
    renderMarkdownTable(
      buildTextTable(
        ['Part', 'Model', 'Answers', 'Bad or refused', 'Tokens read', 'Tokens written', 'Cost'],
        [
          ...rows.map((row) => [PARTS[row.part], formatCode(row.model), ...formatAmounts(row)]),
          ['all', '', ...formatAmounts(total)],
        ],
      ),
    ),
    renderBullets([
      `Costs are estimates in US dollars: tokens times list prices${pricesCheckedOn === undefined ? '' : ` of ${pricesCheckedOn}`}. The amounts billed may differ. The cost of a model without a list price is unknown.`,
      ...(total.estimated === 0
        ? []
        : [`≈: includes estimates for ${formatCount(total.estimated, 'call')} whose tokens are unknown.`]),
      ...listSeparations(total),
    ]),
  ].join('\n\n');
}

/** Lists sentences about the text that was removed from answers before they were used. */
function listSeparations({ calls, separated, trimmed }: CostAmounts): string[] {
  return listPresent(
    separated > 0 &&
      `Reasoning was separated from ${formatNumber(separated)} of ${formatNumber(calls)} answers.`,
    trimmed > 0 &&
      `Special tokens or invented turns, with everything after them, were cut off from ${formatNumber(trimmed)} of ${formatNumber(calls)} answers.`,
  );
}

function formatAmounts({ calls, bad, input, output, estimated, usd }: CostAmounts): string[] {
  const prefix = estimated === 0 ? '' : '≈ ';
  return [
    formatNumber(calls),
    formatNumber(bad),
    prefix + formatNumber(Math.round(input)),
    prefix + formatNumber(Math.round(output)),
    usd === undefined ? 'unknown' : prefix + formatAmount(usd, 'usd'),
  ];
}
