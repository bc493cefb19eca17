/** The answer's text: its text blocks joined by a space (the reference program); thinking is left out. */
export function joinText(blocks: readonly (string | undefined)[]): string {
  return blocks.filter((block) => block !== undefined).join(' ');
}
