import { separateThousands } from './count-text';

/** Units of an amount that is spent: US dollars, or tokens read and written. */
export const AMOUNT_UNITS = ['usd', 'tokens'] as const;
export type AmountUnit = (typeof AMOUNT_UNITS)[number];

/** Formats a budget as on the command line; `parseBudget` reads it back. */
export function formatBudget({ unit, cap }: { readonly unit: AmountUnit; readonly cap: number }): string {
  return unit === 'usd' ? `${cap}usd` : `${formatScaled(cap)}tok`;
}

/** Formats an amount for people: `$12.40`, `3.2 Mtok`. Less than a cent is shown with four decimals. */
export function formatAmount(amount: number, unit: AmountUnit): string {
  if (unit === 'usd')
    return `$${separateThousands(amount.toFixed(amount !== 0 && Math.abs(amount) < 0.01 ? 4 : 2))}`;
  // Chosen by the rounded amount: 999,960 is 1.0 M, not 1000.0 k.
  const scale = SCALES.find(({ size }) => Math.abs(amount) >= size * 0.999_95);
  return scale === undefined
    ? `${Math.round(amount)} tok`
    : `${(amount / scale.size).toFixed(1)} ${scale.prefix}tok`;
}

/**
 * Formats a cost in US dollars that may be without the part of some models: then it is a lower bound, or unknown if nothing is in it.
 * @param prefix words before a lower bound
 */
export function formatCost(usd: number, isLowerBound: boolean, prefix = 'at least '): string {
  if (!isLowerBound) return formatAmount(usd, 'usd');
  return usd === 0 ? 'unknown' : `${prefix}${formatAmount(usd, 'usd')}`;
}

/** Formats US dollars per million tokens with all decimals of the price, at least two. */
export function formatPrice(usd: number): string {
  return `$${usd.toLocaleString('en-US', { minimumFractionDigits: 2, maximumFractionDigits: 6 })}`;
}

/** Prefixes of large numbers, largest first. */
export const SCALES = [
  { prefix: 'G', size: 1e9 },
  { prefix: 'M', size: 1e6 },
  { prefix: 'k', size: 1e3 },
] as const;

/** Formats all digits of the number: `1234.567k`. */
function formatScaled(amount: number): string {
  const scale = SCALES.find(({ size }) => amount >= size);
  return scale === undefined ? String(amount) : `${amount / scale.size}${scale.prefix}`;
}
