import { accept, isPlaceholder, reject, type CheckResult, checkText } from '../form/checks';
import { quoteAnswer } from '../../texts/quote-answer';
import { splitIntoLines } from '../../../schemas/text/lines';
import { findLastSection, listSections } from '../form/sections';

/** The form's title, its plural, and the plural as spelled in figure 21 of the paper. */
const TITLES = ['Most Likely Preference', 'Most Likely Preferences', 'Most Likely Preferneces'];

/**
 * Returns the inferred preference (paper, 2.2): the first line with words below the last heading "Most Likely Preference". The heading's level,
 * bold type and colon do not matter; the words may also stand on the heading's line. Only spaces are removed. Quotation marks, dashes, bold type
 * and "N/A" stay, so that a well-formed answer gives the same text that the reference reads. A line above 30 words is accepted; its words are
 * counted elsewhere. A line that introduces the sentence, or is only its first part, is rejected.
 */
export function checkInference(text: string): CheckResult<string> {
  const answer = checkText(text);
  if (!answer.ok) return answer;
  const section = findLastSection(listSections(answer.value, TITLES).map(withSentence));
  if (section === undefined) {
    return reject([
      'the answer lacks the section "### Most Likely Preference", which must hold the preference as a single sentence',
    ]);
  }
  if (section.content === '' || isPlaceholder(section.content)) {
    return reject([
      'nothing stands under the heading "### Most Likely Preference": it must hold the preference as a single sentence',
    ]);
  }
  if (!section.isSentence) {
    return reject([
      `the first line under the heading "### Most Likely Preference" must hold the whole preference as a single sentence, but it reads ${quoteAnswer(section.content)}`,
    ]);
  }
  return accept(section.content);
}

/** Returns the section with its first line of words as its content, and whether that can be the whole sentence. */
function withSentence<Section extends { readonly content: string }>(
  section: Section,
): Section & { readonly isSentence: boolean } {
  const lines = splitIntoLines(section.content);
  const at = lines.findIndex(hasContent);
  const line = lines[at]?.trim() ?? '';
  const isWrapped = !/[.!?…。！？]["'”’»)\]*_`]*$/.test(line) && /^\s*\p{Ll}/u.test(lines[at + 1] ?? '');
  return { ...section, content: line, isSentence: !isWrapped && !isIntroduction(line) };
}

/** Returns true for a line that ends in a colon or comma, or is only a label or a remark in brackets: `**Preference**`, `(30 words)`. */
function isIntroduction(line: string): boolean {
  const plain = line.replaceAll(/[*_`]/g, '').trim();
  return (
    /[:：,，、]$/.test(plain) ||
    /^[([][^()[\]]*[^()[\].!?][)\]]$/.test(plain) ||
    /^(?:the )?(?:most likely |inferred )?preference$/i.test(plain)
  );
}

/** Returns false for rules and fences between the heading and its sentence. */
function hasContent(line: string): boolean {
  return /[\p{Letter}\p{Number}]/u.test(line) && !/^\s*```\w*\s*$/.test(line);
}
