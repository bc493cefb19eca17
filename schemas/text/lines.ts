/** Every line end of a text: CRLF, LF, a lone CR, and the separators of lines and paragraphs of Unicode. */
const LINE_END = /\r\n|[\n\r\u2028\u2029]/;

/** Splits a text into its lines, without their ends. */
export function splitIntoLines(text: string): string[] {
  return text.split(LINE_END);
}
