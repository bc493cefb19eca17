import type { Usage } from '../../schemas/model/usage';
import type { CallEstimate } from '../../schemas/run/ledger';
import { formatNumber } from '../../schemas/text/count-text';

/**
 * Explains why a reported usage cannot be true; undefined if it can. Such a call is charged at its estimate: with zeros a budget would never end,
 * and with a number too large it would end at once.
 */
export function findUsageProblem(
  { input, output, cachedRead = 0, cachedWrite = 0 }: Usage,
  estimate: CallEstimate,
): string | undefined {
  const cached = cachedRead + cachedWrite;
  if (input === 0 && estimate.input > 0) {
    return `0 input tokens for a prompt of about ${formatNumber(estimate.input)}`;
  }
  if (input !== undefined && cached > input) {
    return `${formatNumber(cached)} cached tokens of ${formatNumber(input)} input tokens`;
  }
  for (const [name, tokens, expected] of [
    ['input', input, estimate.input],
    ['output', output, estimate.output],
  ] as const) {
    if (tokens !== undefined && tokens > MOST_TIMES * Math.max(1, expected)) {
      return `${formatNumber(tokens)} ${name} tokens, where about ${formatNumber(expected)} were expected`;
    }
  }
  return undefined;
}

/** An estimate is a guess, but none is wrong by this factor. */
const MOST_TIMES = 1_000_000;
