/** The words of a text as comparisons want them: lower case, without punctuation, with one form for each character. */
export function splitIntoWords(text: string): string[] {
  return (
    text
      .normalize('NFKC')
      .toLowerCase()
      .replaceAll('’', "'")
      .match(/[\p{L}\p{M}\p{N}]+(?:'[\p{L}\p{M}]+)*/gu) ?? []
  );
}
