import { accept, isPlaceholder, reject, type CheckResult, checkText } from '../form/checks';
import { splitIntoLines } from '../../../schemas/text/lines';
import { findLastSection, listSections, removeFormBrackets } from '../form/sections';

/** The form's title, its plural, and the plural as spelled in figure 21 of the paper. */
const TITLES = ['Most Likely Preference', 'Most Likely Preferences', 'Most Likely Preferneces'];

/**
 * Returns the inferred preference (paper, 2.2): the first line with words below the last heading "Most Likely Preference". The heading's level,
 * bold type and colon do not matter; the words may also stand on the heading's line. Only spaces and the brackets of the form are removed.
 * Quotation marks, dashes, bold type and "N/A" stay, so that a well-formed answer gives the same text that the reference reads. A line above 30
 * words is accepted; its words are counted elsewhere.
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
  return accept(section.content);
}

/** Returns the section with its first line of words as its content. */
function withSentence<Section extends { readonly content: string }>(section: Section): Section {
  const line = splitIntoLines(section.content).find(hasContent)?.trim() ?? '';
  return { ...section, content: removeFormBrackets(line) };
}

/** Returns false for rules and fences between the heading and its sentence. */
function hasContent(line: string): boolean {
  return /[\p{Letter}\p{Number}]/u.test(line) && !/^\s*```\w*\s*$/.test(line);
}
