import { accept, reject, type CheckResult, checkText } from '../form/checks';
import { findLastSection, listSections, parseScore } from '../form/sections';

/** A judge's verdict on a response (paper, 2.3). */
export interface Judgement {
  /** Whole number from 1 to 10. */
  score: number;
  /** All text before the score's section. */
  analysis: string;
}

/**
 * Returns a judge's score and analysis (paper, figure 16). Accepts other spellings of the heading, bold type, labels, `8/10` and `8 out of 10`.
 * Never guesses: a fraction, a range or two different numbers give no score.
 */
export function checkJudgement(text: string): CheckResult<Judgement> {
  const answer = checkText(text);
  if (!answer.ok) return answer;
  const section = findLastSection(listSections(answer.value, ['Evaluation Score'], { allowsWords: true }));
  if (section === undefined) {
    return reject([
      'the answer lacks the section "### Evaluation Score", which must hold one whole number from 1 to 10',
    ]);
  }
  const score = parseScore(section.content, '### Evaluation Score');
  return score.ok ? accept({ score: score.value, analysis: section.before }) : score;
}
