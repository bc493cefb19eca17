/**
 * Creates a pure function that keeps its results for recent texts. Rows of a persona share most texts, and several checks ask the same of each.
 * The workflow bundle holds no module that uses it, because modules there keep no state.
 * @param mostCharacters of the texts whose results are kept; beyond that, all are forgotten
 */
export function keepRecent<Result>(
  compute: (text: string) => Result,
  mostCharacters: number,
): (text: string) => Result {
  const results = new Map<string, Result>();
  let characters = 0;
  return (text) => {
    const cachedResult = results.get(text);
    if (cachedResult !== undefined) return cachedResult;
    const result = compute(text);
    if (characters + text.length > mostCharacters) {
      results.clear();
      characters = 0;
    }
    results.set(text, result);
    characters += text.length;
    return result;
  };
}
