import { formatLetter } from '../../../schemas/evaluation/choice';
import { accept, checkText, reject, type CheckResult } from '../form/checks';
import { quoteAnswer } from '../../texts/quote-answer';
import { findLastSection, listSections } from '../form/sections';
import { readChoice } from './choice-grammar';

const HEADING = '### Choice';

/**
 * Returns the index of the chosen option, read by the grammar of choices: below the heading, or in an answer without one. Never guesses: what
 * rejects its option, or names a second one, is no choice.
 */
export function checkChoice(text: string, options: readonly string[]): CheckResult<number> {
  const answer = checkText(text);
  if (!answer.ok) return answer;
  // A text under another heading may take the choice back.
  const section = findLastSection(listSections(answer.value, ['Choice'], { keepsOthers: true }));
  const content = section?.content ?? answer.value;
  const index = readChoice(content, options);
  if (index !== undefined) return accept(index);
  const last = formatLetter(options.length - 1);
  return reject([
    `the section "${HEADING}" must hold one letter from A to ${last} and nothing else, but it reads ${quoteAnswer(content)}`,
  ]);
}
