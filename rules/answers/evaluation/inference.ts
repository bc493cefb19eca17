import { accept, isPlaceholder, reject, type CheckResult, checkText } from '../form/checks';
import { findLastSection, listSections } from '../form/sections';

/** The form's title, its plural, and how figure 21 of the paper spells that. */
const TITLES = ['Most Likely Preference', 'Most Likely Preferences', 'Most Likely Preferneces'];

/**
 * Returns the inferred preference (paper, 2.2): the first line that says something after the last heading "Most Likely Preference" that has one,
 * whatever the heading's level, bold type or colon; the words may stand on the heading's own line. Of the line only spaces are
 * taken off: quotation marks, dashes and bold type stay, as does "N/A", so that an answer in the form asked for gives the very text
 * that the reference reads. A line over 30 words is taken too; its words are counted elsewhere.
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

/** Returns the section with its first line that says something as its content. */
function withSentence<Section extends { readonly content: string }>(section: Section): Section {
  return { ...section, content: section.content.split('\n').find(hasContent)?.trim() ?? '' };
}

/** Rules and fences between the heading and its sentence are no sentence. */
function hasContent(line: string): boolean {
  return /[\p{Letter}\p{Number}]/u.test(line) && !/^\s*```\w*\s*$/.test(line);
}
