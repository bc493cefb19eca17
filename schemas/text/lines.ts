/** Pattern of every line end of a text: CRLF, LF, a lone CR, and Unicode's separators of lines and paragraphs. */
export const LINE_END = '(?:\\r\\n|[\\n\\r\\u2028\\u2029])';

/** Splits a text into its lines, without their ends. */
export function splitIntoLines(text: string): string[] {
  return text.split(new RegExp(LINE_END));
}
