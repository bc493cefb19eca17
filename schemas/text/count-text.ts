/** Formats a number with commas between its thousands and at most three decimals. */
export function formatNumber(value: number): string {
  return separateThousands(String(Number(value.toFixed(3))));
}

/** Puts commas between the thousands of a decimal number. Loading `Intl` would add 10 ms to each command. */
export function separateThousands(number: string): string {
  const [integerPart = '', ...decimals] = number.split('.');
  return [integerPart.replace(/\B(?=(?:\d{3})+$)/g, ','), ...decimals].join('.');
}

/** Formats a number, or says that it is unknown. */
export function formatKnownNumber(value: number | null): string {
  return value === null ? 'unknown' : formatNumber(value);
}

/** Formats a count with its noun, in the plural unless the count is one: `1 call`, `2,000 calls`. */
export function formatCount(count: number, noun: string, plural?: string): string {
  return `${formatNumber(count)} ${pluralize(count, noun, plural)}`;
}

/** Returns the form of a noun or verb that agrees with a count: `call` or `calls`, `is` or `are`. */
export function pluralize(count: number, singular: string, plural = `${singular}s`): string {
  return count === 1 ? singular : plural;
}

/** Formats the first items of a list, and the number of the others: `1, 2 and 18 more`. */
export function formatFirst(items: readonly (string | number)[], maxItems: number): string {
  const firstItems = items.slice(0, maxItems).join(', ');
  return items.length > maxItems
    ? `${firstItems} and ${formatNumber(items.length - maxItems)} more`
    : firstItems;
}
