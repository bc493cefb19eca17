import { separateReasoning, separateText, trimText } from '../../../schemas/model/answer-text';
import { accept, isPlaceholder, quoteAnswer, reject, type CheckResult } from './checks';

/** A heading with one of the titles, and the words behind it on its line. */
interface Heading<Title extends string> {
  title: Title;
  rest: string;
}

/** A part of an answer, below a heading. */
interface Section<Title extends string> {
  title: Title;
  /** The text before the heading, stripped. */
  before: string;
  /** The text below the heading, stripped, without reasoning, a fence around all of it, or a rule at its end. */
  content: string;
}

interface SectionOptions {
  /** Whether a section contains headings of other titles; otherwise they end it. */
  readonly keepsOthers?: boolean;
}

/**
 * Returns the sections of an answer with one of the titles, in order; every reader of headings uses this. Models that write no `#` before a title
 * set it in bold type at the beginning of a line. That counts if the title has no other heading.
 */
export function listSections<Title extends string>(
  text: string,
  titles: readonly Title[],
  { keepsOthers = false }: SectionOptions = {},
): Section<Title>[] {
  const { text: answer } = separateText(stripFence(text));
  const lines = answer.split(/\r?\n/);
  const marked = new Set(lines.map((line) => findHeading(line, titles)?.title));
  const bold = titles.filter((title) => !marked.has(title));
  const find = (line: string) => findHeading(line, titles) ?? findBoldTitle(line, bold);
  return splitSections(lines, find, keepsOthers ? () => false : isHeading);
}

/** Finds the last section with content among those with the same title; earlier ones are drafts. */
export function findLastSection<Title extends string>(
  sections: readonly Section<Title>[],
): Section<Title> | undefined {
  return sections.findLast(({ content }) => content !== '' && !isPlaceholder(content)) ?? sections.at(-1);
}

/** Returns the content of a code fence that wraps the whole text; any other text unchanged. */
function stripFence(text: string): string {
  return /^(?:```|~~~)[a-z]*\n([^]*)\n(?:```|~~~)$/i.exec(trimText(text))?.[1] ?? text;
}

/** Finds a known heading, however spelled, perhaps followed by a colon and the section's first words. */
function findHeading<Title extends string>(
  line: string,
  titles: readonly Title[],
): Heading<Title> | undefined {
  if (!line.includes('#')) return undefined;
  const heading = /^#{1,6}\s*(.*)$/.exec(trimLine(line) ?? '')?.[1];
  return heading === undefined ? undefined : findTitle(heading, titles);
}

function isHeading(line: string): boolean {
  return /^ {0,3}#{1,6}\s/.test(line);
}

/** Returns a line without spaces and invisible characters around it; undefined for a line that is indented as code is. */
function trimLine(line: string): string | undefined {
  return line.startsWith('    ') ? undefined : trimText(line);
}

function findTitle<Title extends string>(
  heading: string,
  titles: readonly Title[],
): Heading<Title> | undefined {
  const plain = trimText(heading.replaceAll(/\*+|__/g, ''))
    .replace(/^\d+[.)]\s*/, '')
    .replaceAll(/\s+/g, ' ');
  // Each character is replaced by one character, so that positions in both texts are equal.
  const spelled = plain.replaceAll(/[’‘`´]/g, "'").toLowerCase();
  for (const title of titles) {
    const name = title.replace(/\?$/, '');
    if (!spelled.startsWith(name.toLowerCase())) continue;
    const rest = /^\s*\??\s*(?::(.*)|)$/.exec(plain.slice(name.length));
    if (rest !== null) return { title, rest: rest[1]?.trim() ?? '' };
  }
  return undefined;
}

/** Finds a title in bold type: `**Title**`, `**Title:** words` or `**Title: words**`. Bold words within a sentence are no heading. */
function findBoldTitle<Title extends string>(
  line: string,
  titles: readonly Title[],
): Heading<Title> | undefined {
  if (titles.length === 0) return undefined;
  const trimmed = trimLine(line) ?? '';
  return /^(?:\*\*|__)/.test(trimmed) ? findTitle(trimmed, titles) : undefined;
}

function splitSections<Title extends string>(
  answer: readonly string[],
  find: (line: string) => Heading<Title> | undefined,
  isOther: (line: string) => boolean,
): Section<Title>[] {
  let lines = answer;
  const starts: (Heading<Title> & { readonly at: number })[] = [];
  for (let at = 0; at < lines.length; at += 1) {
    const heading = find(lines[at] ?? '');
    if (heading === undefined) continue;
    starts.push({ ...heading, at });
    lines = [...lines.slice(0, at + 1), ...cutLeadingReasoning(lines.slice(at + 1))];
  }
  return starts.map(({ title, rest, at }, index) => {
    const following = lines.slice(at + 1, starts[index + 1]?.at);
    const end = following.findIndex(isOther);
    const content = [rest, ...(end < 0 ? following : following.slice(0, end))].join('\n');
    return { title, before: lines.slice(0, at).join('\n').trim(), content: cleanSection(content) };
  });
}

/** Returns the lines without leading reasoning, which may contain headings of its own. */
function cutLeadingReasoning(lines: readonly string[]): readonly string[] {
  const text = lines.join('\n');
  const { text: rest, reasoning } = separateReasoning(text, { isWhole: false });
  return reasoning === undefined ? lines : rest.split('\n');
}

/** Returns the content of a section without what models put at its end: a rule between sections, or the end of a fence around the whole answer. */
function cleanSection(content: string): string {
  const { text } = separateText(content);
  const isFenceOpen = (text.match(/^ {0,3}```/gm)?.length ?? 0) % 2 === 1;
  const whole = isFenceOpen ? text.replace(/\n\s*```\s*$/, '') : text;
  const ruled = trimText(whole).replace(/(?:^|\n)\s*(?:-{3,}|\*{3,}|_{3,})$/, '');
  return trimText(/^```(?:text|txt|markdown|md)?\n([^]*)\n```$/i.exec(trimText(ruled))?.[1] ?? ruled);
}

/**
 * Returns the score in a section: one whole number from 1 to 10. Forgives bold type, labels, `8/10`, `8 out of 10`, `\\boxed{8}` and full-width digits;
 * never guesses.
 * @param heading as the form writes it, for the reason
 */
export function parseScore(section: string, heading: string): CheckResult<number> {
  const plain = section
    .replaceAll(/[０-９／]/g, (wide) => wide.normalize('NFKC'))
    .replaceAll(/\\boxed\b|[*_`$]/g, '')
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
