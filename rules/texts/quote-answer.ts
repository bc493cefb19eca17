/** Quotes a piece of the answer for a reason: on one line and shortened. */
export function quoteAnswer(text: string): string {
  const line = text.replaceAll(/\s+/g, ' ').trim();
  const short = line.length > 200 ? `${line.slice(0, 200).replace(/\p{Cs}$/u, '')}…` : line;
  return `"${short}"`;
}
