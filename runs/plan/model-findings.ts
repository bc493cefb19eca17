import { readBuiltInTable } from '../../data/model-table';
import { listCloseNames } from '../../engine/model-facts/close-names';
import { formatCloseNames } from '../../schemas/text/close-names';
import type { Retirement } from '../../engine/model-facts/dates';
import { formatCount } from '../../schemas/text/count-text';
import { formatModelName } from '../../schemas/model/model-spec';
import type { CheckedModel } from '../../workers/model-check';

/** Failures that only a long prompt causes; short prompts still fit. */
const TOO_SMALL: ReadonlySet<string> = new Set(['context-length', 'window-exceeded']);

/** Lists the findings of a check: problems that prevent the run, and notices for the user. */
export function listFindings(models: readonly CheckedModel[]): {
  readonly failures: readonly string[];
  readonly warnings: readonly string[];
} {
  const failures: string[] = [];
  const warnings: string[] = [];
  for (const { spec, outcome, retirement } of models) {
    const ending = retirement === undefined ? [] : [formatRetirement(retirement)];
    if (!('kind' in outcome) || outcome.kind === 'refused') {
      warnings.push(...ending.map((text) => `${spec}: ${text}`));
    } else if (TOO_SMALL.has(outcome.kind)) {
      warnings.push(
        [`A long prompt does not fit, and calls with one will fail: ${outcome.message}`, ...ending].join(' '),
      );
    } else if (outcome.isRetryable) {
      warnings.push(
        [`Check inconclusive: ${outcome.message}${describeCloseNames(spec)}`, ...ending].join(' '),
      );
    } else {
      const names = outcome.kind === 'unknown-model' ? describeCloseNames(spec) : '';
      failures.push([`${outcome.message}${names}`, ...ending].join(' '));
    }
  }
  return { failures, warnings };
}

/** Asks about known names that are close to that of a model; empty for a known one. */
function describeCloseNames(spec: string): string {
  return formatCloseNames(listCloseNames([formatModelName(spec)], readBuiltInTable()));
}

/** Describes when a model ends or ended, and its replacement. */
export function formatRetirement({ date, hasEnded, daysLeft, successor }: Retirement): string {
  const when = hasEnded ? `Retired on ${date}.` : `Retires on ${date}, in ${formatCount(daysLeft, 'day')}.`;
  return successor === undefined ? when : `${when} Its provider recommends ${successor}.`;
}
