import { accept, quoteAnswer, reject, type CheckResult } from './checks';

/** A heading with one of the titles looked for, and what stands behind it on its own line. */
interface Heading<Title extends string> {
  title: Title;
  rest: string;
}

export interface Section {
  /** All that stands before the heading, stripped. */
  before: string;
  /** What follows it up to the next heading of any title, stripped. */
  content: string;
}

/** What stands in a code fence that wraps the whole text; any other text as it is. */
export function stripFence(text: string): string {
  return /^```[a-z]*\n([^]*)\n```$/i.exec(text)?.[1] ?? text;
}

/** A known heading, its title spelled freely and perhaps followed by a colon and the section's first words. */
export function findHeading<Title extends string>(
  line: string,
  titles: readonly Title[],
): Heading<Title> | undefined {
  const heading = /^\s{0,3}#{1,6}\s*(.*)$/.exec(line)?.[1];
  return heading === undefined ? undefined : findTitle(heading, titles);
}

/**
 * The sections of an answer with one of the titles, in order. Models that write no `#` set a heading in bold type on a line of
 * its own: that counts where there is no other.
 */
export function listSections(text: string, titles: readonly string[]): Section[] {
  const lines = stripFence(text).split(/\r?\n/);
  const marked = splitSections(lines, (line) => findHeading(line, titles)?.rest);
  return marked.length > 0 ? marked : splitSections(lines, (line) => findBoldTitle(line, titles)?.rest);
}

function findTitle<Title extends string>(
  heading: string,
  titles: readonly Title[],
): Heading<Title> | undefined {
  const plain = heading
    .replaceAll(/\*+|__/g, '')
    .replace(/^\d+[.)]\s*/, '')
    .replaceAll(/\s+/g, ' ')
    .trim();
  // One character for one, so that a place in the spelling is a place in the line.
  const spelled = plain.replaceAll(/[’‘`´]/g, "'").toLowerCase();
  for (const title of titles) {
    const name = title.replace(/\?$/, '');
    if (!spelled.startsWith(name.toLowerCase())) continue;
    const rest = /^\s*\??\s*(?::(.*)|)$/.exec(plain.slice(name.length));
    if (rest !== null) return { title, rest: rest[1]?.trim() ?? '' };
  }
  return undefined;
}

/** `**Title**`, `**Title:** words` and `**Title: words**`; bold words within a sentence are no heading. */
function findBoldTitle(line: string, titles: readonly string[]): Heading<string> | undefined {
  return /^\s{0,3}(?:\*\*|__)/.test(line) ? findTitle(line, titles) : undefined;
}

/** `rest` gives what stands behind a heading that is looked for, and nothing for any other line. */
function splitSections(lines: readonly string[], rest: (line: string) => string | undefined): Section[] {
  return lines.flatMap((line, index) => {
    const first = rest(line);
    if (first === undefined) return [];
    const following = lines.slice(index + 1);
    const end = following.findIndex((other) => /^ {0,3}#{1,6}\s/.test(other) || rest(other) !== undefined);
    const content = [first, ...(end < 0 ? following : following.slice(0, end))];
    return [{ before: lines.slice(0, index).join('\n').trim(), content: content.join('\n').trim() }];
  });
}

/**
 * The score in a section: one whole number from 1 to 10. Forgives bold type, labels, `8/10` and `8 out of 10`; never guesses.
 * @param heading as the form writes it, for the reason
 */
export function parseScore(section: string, heading: string): CheckResult<number> {
  const plain = section
    .replaceAll(/[*_`]/g, '')
    .replaceAll(/(\d)\s*(?:\/|(?:out\s+)?of)\s*10(?!\d|[.,]\d)/gi, '$1')
    .replaceAll(/[()[\]{}"“”:;=]/g, ' ');
  const numbers = new Set(
    plain
      .split(/\s+/)
      .filter((word) => /\p{Number}/u.test(word))
      .map((word) => word.replace(/[.,!]+$/, '')),
  );
  const [score] = numbers;
  if (numbers.size !== 1 || score === undefined || !/^(?:[1-9]|10)$/.test(score)) {
    return reject([
      `the section "${heading}" must hold one whole number from 1 to 10 and nothing else, but it reads ${quoteAnswer(section)}`,
    ]);
  }
  return accept(Number(score));
}
