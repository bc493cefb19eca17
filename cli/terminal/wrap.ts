/**
 * Wraps a text into lines of at most `width` characters, indent included. Keeps its line breaks; a longer word gets its
 * own line.
 */
export function wrapText(text: string, width: number, indent = ''): string[] {
  return text.split(/\r?\n/).flatMap((line) => {
    const [blanks = ''] = /^\s*/.exec(line) ?? [];
    const margin = indent + blanks.slice(0, Math.max(0, width - indent.length - LEAST));
    const lines: string[] = [];
    let current = '';
    for (const word of line.trim().split(BREAKS)) {
      const longer = current === '' ? word : `${current} ${word}`;
      if (margin.length + longer.length <= width || current === '') {
        current = longer;
      } else {
        lines.push(margin + current);
        current = word;
      }
    }
    return [...lines, margin + current].map((wrappedLine) => wrappedLine.trimEnd());
  });
}

/** White space, except between a number and its unit. */
const BREAKS = /(?<!\d)\s+|(?<=\d)\s+(?!\p{Ll})/u;

/** Minimum room of a line in characters, however far it is indented. */
const LEAST = 20;
