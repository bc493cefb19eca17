/** Rounds a count up to two digits, for estimates: 1,234 becomes 1,300. */
export function roundUpToTwoDigits(count: number): number {
  const unit = 10 ** Math.max(0, Math.floor(Math.log10(count)) - 1);
  return Math.ceil(count / unit) * unit;
}
