import { separateReasoning, separateText, trimText } from '../../../schemas/model/answer-text';
import { LINE_END } from '../../../schemas/text/lines';
import { accept, isPlaceholder, reject, type CheckResult } from './checks';
import { quoteAnswer } from '../../texts/quote-answer';

/** A heading with one of the titles, and the words behind it on its line. */
interface Heading<Title extends string> {
  readonly title: Title;
  readonly rest: string;
  /** Whether it is in a block quote. */
  readonly isQuoted?: boolean;
  /** Whether the next line underlines it. */
  readonly isUnderlined?: boolean;
}

/** A part of an answer, below a heading. */
interface AnswerSection<Title extends string> {
  title: Title;
  /** The text before the heading, stripped. */
  before: string;
  /** The text below the heading, stripped, without reasoning, a fence around all of it, or a rule at its end. */
  content: string;
}

interface SectionOptions {
  /** Whether a section contains headings of other titles; otherwise they end it. */
  readonly keepsOthers?: boolean;
  /** Whether the words of a section may follow its title without a colon, if the title has no other heading. */
  readonly allowsWords?: boolean;
}

/**
 * Returns the sections of an answer with one of the titles, in order; every reader of headings uses this. Models that write no `#` before a title
 * set it in bold type at the beginning of a line, perhaps in a list. That counts if the title has no other heading.
 */
export function listSections<Title extends string>(
  text: string,
  titles: readonly Title[],
  { keepsOthers = false, allowsWords = false }: SectionOptions = {},
): AnswerSection<Title>[] {
  const { text: answer } = separateText(stripFence(text));
  const lines = splitKeepingEnds(answer);
  const find = (all: readonly string[], at: number) => findHeading(all, at, titles);
  const marked = new Set(lines.map((_, at) => find(lines, at)?.title));
  const unmarked = titles.filter((title) => !marked.has(title));
  const bold = new Set(lines.map((line) => findBoldTitle(line, unmarked)?.title));
  const unfound = allowsWords ? unmarked.filter((title) => !bold.has(title)) : [];
  return splitSections(
    lines,
    (all, at) =>
      find(all, at) ?? findBoldTitle(all[at] ?? '', unmarked) ?? findTitleBeforeWords(all[at] ?? '', unfound),
    keepsOthers ? () => false : isHeading,
  );
}

/** Splits a text into lines with their ends, so that a section keeps the line ends of its model; only CRLF becomes LF. */
function splitKeepingEnds(text: string): string[] {
  return text.replaceAll('\r\n', '\n').split(/(?<=[\n\r\u2028\u2029])/);
}

/** Finds the last section with content among those with the same title; earlier ones are drafts. */
export function findLastSection<Section extends { readonly content: string }>(
  sections: readonly Section[],
): Section | undefined {
  return sections.findLast(({ content }) => content !== '' && !isPlaceholder(content)) ?? sections.at(-1);
}

/** Returns the content of a code fence that wraps the whole text; any other text unchanged. */
function stripFence(text: string): string {
  const [, content] = WRAPPING_FENCE.exec(trimText(text)) ?? [];
  return content ?? text;
}

const WRAPPING_FENCE = new RegExp(`^(?:\`\`\`|~~~)[a-z]*${LINE_END}([^]*)${LINE_END}(?:\`\`\`|~~~)$`, 'i');

/**
 * Finds a known heading, however spelled, perhaps followed by a colon and the section's first words: after `#`, in `<h3>`, or underlined; each
 * may be quoted.
 */
function findHeading<Title extends string>(
  lines: readonly string[],
  at: number,
  titles: readonly Title[],
): Heading<Title> | undefined {
  const [, quote = '', line = ''] = QUOTE.exec(lines[at] ?? '') ?? [];
  const trimmed = trimLine(line) ?? '';
  const isQuoted = quote !== '';
  const marked = (HASHES.exec(trimmed) ?? HTML_HEADING.exec(trimmed))?.groups?.['heading'];
  if (marked !== undefined) return findTitle(marked, titles, { isQuoted });
  const [, , below = ''] = QUOTE.exec(lines[at + 1] ?? '') ?? [];
  if (trimmed === '' || !/^ {0,3}(?:={3,}|-{3,})\s*$/.test(below)) return undefined;
  const underlined = findTitle(trimmed, titles, { isQuoted, isUnderlined: true });
  return underlined?.rest === '' ? underlined : undefined;
}

/** Marks of a block quote before a line. */
const QUOTE = /^((?: {0,3}> ?)*)([^]*)$/;
const HASHES = /^#{1,6}\s*(?<heading>.*)$/;
const HTML_HEADING = /^<h([1-6])\b[^>]*>(?<heading>.*)<\/h\1>\s*$/i;

function isHeading(line: string): boolean {
  const [, , unquoted = ''] = QUOTE.exec(line) ?? [];
  return /^ {0,3}(?:#{1,6}\s|<h[1-6]\b)/i.test(unquoted);
}

/** Returns a line without spaces and invisible characters around it; undefined for a line that is indented as code is. */
function trimLine(line: string): string | undefined {
  return line.startsWith('    ') ? undefined : trimText(line);
}

function findTitle<Title extends string>(
  heading: string,
  titles: readonly Title[],
  marks: Pick<Heading<Title>, 'isQuoted' | 'isUnderlined'> = {},
): Heading<Title> | undefined {
  const plain = trimText(heading.replaceAll(/\*+|__|`|<\/?(?:b|strong|em|i|u)>/gi, ''))
    .replace(/\s#+$/, '')
    .replace(BEFORE_TITLE, '')
    .replaceAll(/\s+/g, ' ');
  // Each character is replaced by one character, so that positions in both texts are equal.
  const spelled = plain.replaceAll(/[’‘´]/g, "'").toLowerCase();
  for (const title of titles) {
    const name = title.replace(/\?$/, '').toLowerCase();
    if (!spelled.startsWith(name)) continue;
    const groups = AFTER_TITLE.exec(plain.slice(name.length))?.groups;
    if (groups !== undefined) return { title, rest: groups['words']?.trim() ?? '', ...marks };
  }
  return undefined;
}

/** Numbers of a title ("2.", "(2)", "Step 2:", "II."), symbols, opening brackets and quotation marks, in any order. */
const BEFORE_TITLE = new RegExp(
  `^(?:${[
    '(?:step|section|part|phase|no\\.)\\s*(?=[#\\d])',
    '[[(]?#?\\p{N}{1,2}\\s*(?:[.):\\]、．–—-]|\\uFE0F?\\u20E3)',
    '[ivx]{1,4}[.):]\\s',
    '\\p{No}',
    '[\\p{So}\\p{Sk}\\u200D\\uFE0F\\s"“”«»「『【[(→⇒▶–—•-]',
  ].join('|')})+`,
  'iu',
);

/** A question mark, symbols and closing signs after a title, then the end of the line, or a colon and the section's first words. */
const AFTER_TITLE = /^\s*[?？]?(?:[\p{So}\s"”»」』】\])]|\uFE0F)*(?:[:：](?<words>.*)|[–—-]?\s*)$/u;

/** Finds a title in bold type: `**Title**`, `- **Title:** words` or `**Title: words**`. Bold words within a sentence are no heading. */
function findBoldTitle<Title extends string>(
  line: string,
  titles: readonly Title[],
): Heading<Title> | undefined {
  if (titles.length === 0) return undefined;
  const [, quote = '', unquoted = ''] = QUOTE.exec(line) ?? [];
  const bold = /^(?:[-*+•]\s+|\d{1,2}[.)]\s+)?(?=\*\*|__|<b>|<strong>)/i.exec(trimLine(unquoted) ?? '');
  return bold === null
    ? undefined
    : findTitle(bold.input.slice(bold[0].length), titles, { isQuoted: quote !== '' });
}

/** Finds a title that words of its section follow directly: `**Title** words`, `#### Title? words`, `#### Title (1-10)`. */
function findTitleBeforeWords<Title extends string>(
  line: string,
  titles: readonly Title[],
): Heading<Title> | undefined {
  if (titles.length === 0) return undefined;
  const trimmed = trimLine(line) ?? '';
  for (const pattern of [BOLD_BEFORE_WORDS, QUESTION_BEFORE_WORDS, HEADING_BEFORE_REMARK]) {
    const { title = '', remark = '' } = pattern.exec(trimmed)?.groups ?? {};
    const heading = findTitle(title, titles);
    const words = remark.replace(RANGE_REMARK, '').replace(/^[\s:：–—-]+/, '');
    if (heading?.rest !== '' || NO_CONTENT.test(words)) continue;
    return { ...heading, rest: words };
  }
  return undefined;
}

const BOLD_BEFORE_WORDS =
  /^(?:[-*+•]\s+|\d{1,2}[.)]\s+|#{1,6}\s*)?(?<title>\*\*[^*]+\*\*|__[^_]+__)(?<remark>.*)$/;
const QUESTION_BEFORE_WORDS = /^#{1,6}(?<title>[^?？]+[?？])(?<remark>.*)$/;
const HEADING_BEFORE_REMARK = /^#{1,6}(?<title>[^(（]+)(?<remark>[(（].*)$/;

/** A remark on what a section may hold: "(1-10)", "(out of 10)", "(CONTINUE or END)". */
const RANGE_REMARK =
  /^\s*[(（]\s*(?:out of|max|up to|at most|on a|scale|continue\s*(?:\/|or)|[01]\s*(?:[-–—]|to))[^()（）]*[)）]/i;

/** Words that are no content of a section: another remark, or the rest of a title such as "Evaluation Score Rationale". */
const NO_CONTENT =
  /^(?:[(（]|\W*(?:rationale|reason(?:s|ing)?|justification|explanation|analysis|notes?)\b)/iu;

/** Finds a heading at a line. */
type FindHeading<Title extends string> = (lines: readonly string[], at: number) => Heading<Title> | undefined;

function splitSections<Title extends string>(
  answer: readonly string[],
  find: FindHeading<Title>,
  isOther: (line: string) => boolean,
): AnswerSection<Title>[] {
  let lines = answer;
  const starts: (Heading<Title> & { readonly at: number; readonly from: number })[] = [];
  for (let at = 0; at < lines.length; at += 1) {
    const heading = find(lines, at);
    if (heading === undefined) continue;
    const from = at + (heading.isUnderlined === true ? 2 : 1);
    starts.push({ ...heading, at, from });
    lines = [...lines.slice(0, from), ...cutLeadingReasoning(lines.slice(from))];
  }
  return starts.map(({ title, rest, at, from, isQuoted }, index) => {
    const following = lines.slice(from, starts[index + 1]?.at);
    const end = following.findIndex(isOther);
    const content = (end < 0 ? following : following.slice(0, end)).join('');
    const fullContent = rest === '' ? content : `${rest}\n${content}`;
    return {
      title,
      before: lines.slice(0, at).join('').trim(),
      content: cleanSection(isQuoted === true ? removeQuote(fullContent) : fullContent),
    };
  });
}

/** Removes the marks of a block quote that contains a section with its heading. */
function removeQuote(content: string): string {
  return content.replaceAll(/^ {0,3}> ?/gm, '');
}

/** Returns the lines without leading reasoning, which may contain headings of its own. */
function cutLeadingReasoning(lines: readonly string[]): readonly string[] {
  const { text: answerText, reasoning } = separateReasoning(lines.join(''), { isWhole: false });
  return reasoning === undefined ? lines : splitKeepingEnds(answerText);
}

/** Returns the content of a section without what models put at its end: a rule between sections, or the end of a fence around the whole answer. */
function cleanSection(content: string): string {
  const { text } = separateText(content);
  const isFenceOpen = (text.match(/^ {0,3}```/gm)?.length ?? 0) % 2 === 1;
  const textWithoutFence = isFenceOpen ? text.replace(FENCE_END, '') : text;
  const ruled = trimText(textWithoutFence).replace(RULE_END, '');
  return trimText(WRAPPING_TEXT_FENCE.exec(trimText(ruled))?.[1] ?? ruled);
}

/** White space with a line end. It begins nowhere within other white space, so that long runs take linear time. */
const LINE_GAP = '(?<!\\s)[^\\S\\n\\r\\u2028\\u2029]*[\\n\\r\\u2028\\u2029]\\s*';
const FENCE_END = new RegExp(`${LINE_GAP}\`\`\`\\s*$`);
const RULE_END = new RegExp(`(?:^|${LINE_GAP})(?:-{3,}|\\*{3,}|_{3,})$`);

/** Fence of a section of text. Code that is a whole section keeps its fence. */
const WRAPPING_TEXT_FENCE = new RegExp(
  `^\`\`\`(?:text|txt|markdown|md)?${LINE_END}([^]*)${LINE_END}\`\`\`$`,
  'i',
);

/**
 * Returns the score in a section: one whole number from 1 to 10. Forgives bold type, tags, labels, units (`8分`), `8.0`, `8/10`, `8 out of 10`,
 * `\\boxed{8}`, and digits of other scripts, in circles or on keys. Never guesses.
 * @param heading as the form writes it, for the reason
 */
export function parseScore(section: string, heading: string): CheckResult<number> {
  const plain = readDigits(section)
    .replaceAll(/\\boxed\b|[*_`$]/g, '')
    .replaceAll(/<\/?[a-z][\w -]*>/gi, ' ')
    .replaceAll(/(\d)\.0{1,2}(?!\d)/g, '$1')
    .replaceAll(/(\d)\s*(?:\/|(?:out\s+)?of|von|sur|de|su|van|из)\s*(?:10(?!\d|[.,]\d)|ten\b)/gi, '$1')
    .replaceAll(/<\s*(\d+)\s*>/g, '$1')
    .replaceAll(/(\d)\s*(?:分|点|점|pts?\.?|points?)(?![\p{L}\p{N}])/giu, '$1')
    .replaceAll(/[()[\]{}"“”‘’「」【】:：;=。]/g, ' ');
  const numbers = new Set(
    plain
      .split(/\s+/)
      .filter((word) => /\p{Number}/u.test(word))
      .map((word) => word.replace(/[.,!]+$/, '')),
  );
  const [score] = numbers;
  const isScore = score !== undefined && /^(?:[1-9]|10)$/.test(score);
  if (numbers.size !== 1 || !isScore || NO_SCORE.some((pattern) => pattern.test(plain))) {
    return reject([
      `the section "${heading}" must hold one whole number from 1 to 10 and nothing else, but it reads ${quoteAnswer(section)}`,
    ]);
  }
  return accept(Number(score));
}

/** Numbers that are no score. */
const NO_SCORE = [
  // It bounds a score, is near it, or is denied.
  /\b(?:(?:not|cannot|n t|(?:could|would) have)(?: be| been)?|below|under|above|over|(?:more|less|fewer|higher|lower|better|worse) than|at (?:least|most)|about|around|almost|nearly|roughly|approximately|up to|between \w+ and)\s+(?:an?\s+)?\d/i,
  /\d,?\s+(?:or (?:so|more|less|higher|lower|above|below)|at (?:least|most)|and a half)\b/i,
  /\d\s+(?:or|to)\s+(?:one|two|three|four|five|six|seven|eight|nine|ten)\b/i,
  // It counts something, or its scale does not end at 10.
  /\d\s+(?:(?:out\s+)?of\b|(?:items?|stars?|criteria)\b)/i,
  // It names an item, perhaps where there is no score.
  /\b(?:items?|criterion)\s+#?\d/i,
  /^\W*(?:n\/a|none|not applicable)\b/i,
];

/** Writes digits of other scripts, in circles, and on keys as 0 to 9. */
function readDigits(text: string): string {
  return text
    .replaceAll(/[０-９／．①-⑩]/g, (wide) => wide.normalize('NFKC'))
    .replaceAll('🔟', '10')
    .replaceAll(/(?<=\d)\uFE0F?\u20E3/g, '')
    .replaceAll(/[٠-٩۰-۹०-९০-৯๐-๙]/g, (digit) => String(SCRIPTS.indexOf(digit) % 10));
}

/** Digits from 0 to 9 of scripts: Arabic, Persian, Devanagari, Bengali, Thai. */
const SCRIPTS = '٠١٢٣٤٥٦٧٨٩۰۱۲۳۴۵۶۷۸۹०१२३४५६७८९০১২৩৪৫৬৭৮৯๐๑๒๓๔๕๖๗๘๙';
