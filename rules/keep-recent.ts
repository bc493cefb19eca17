/**
 * Creates a pure function that keeps its results for recent texts. Rows of a persona share most texts, and several checks ask the same of each.
 * @param most results are kept before all are forgotten
 */
export function keepRecent<Result>(
  compute: (text: string) => Result,
  most: number,
): (text: string) => Result {
  const results = new Map<string, Result>();
  return (text) => {
    const known = results.get(text);
    if (known !== undefined) return known;
    const result = compute(text);
    if (results.size === most) results.clear();
    results.set(text, result);
    return result;
  };
}
