import { accept, reject, type CheckResult, checkText, isOmitted, isPlaceholder } from '../form/checks';
import { quoteAnswer } from '../../texts/quote-answer';
import { groupBy } from '../../group-by';
import { USER_SECTIONS, type UserSection } from '../../dialogue/messages';
import { isSatisfied } from '../../dialogue/ending';
import { type DialogueSubject, listUserTurnProblems } from '../../quality/user-turn';
import { findLastSection, listSections, parseScore } from '../form/sections';

/** Returns the assistant's message, stripped; only an empty one is rejected. */
export function checkAssistantTurn(text: string): CheckResult<string> {
  return checkText(text);
}

/** One turn of the user simulator (paper, B.4). */
export interface UserTurn {
  /** Verdicts on the checklist items, as written in the section. */
  evaluation: string;
  /** Whole number from 1 to 10. */
  score: number;
  decision: 'CONTINUE' | 'END';
  /** The checklist items that it refers to, as written in the section. */
  selected: string;
  /** The message to the assistant. */
  message: string;
  /** True if the score ends the dialogue and the decision continues it, or the reverse. */
  disagrees: boolean;
}

/**
 * Reads the user simulator's turn from its six `####` sections. Accepts bold type, `8/10`, labels and other spellings of headings; never guesses a
 * score. END goes with a score of 10, and with no other. Otherwise the turn is in doubt, or rejected if there is a subject.
 * @param subject texts that the sections are compared with; without it, only their form is checked
 */
export function checkUserTurn(text: string, subject?: DialogueSubject): CheckResult<UserTurn> {
  const answer = checkText(text);
  if (!answer.ok) return answer;
  const sections = parseSections(answer.value);
  const score = parseScore(sections.contents.get('Evaluation Score') ?? '', '#### Evaluation Score');
  const decision = parseDecision(sections.contents.get('Continue or End?') ?? '');
  const message = parseMessage(sections.contents.get('Your Message') ?? '');
  if (sections.problems.length > 0) return reject(sections.problems);
  if (!score.ok || !decision.ok || !message.ok) {
    return reject(
      [score, decision, message].flatMap((part) => (part.ok ? [] : [part.reason.replace(/\.$/, '')])),
    );
  }
  const turn = {
    evaluation: sections.contents.get("Evaluation of AI Assistant's Response") ?? '',
    score: score.value,
    decision: decision.value,
    selected: sections.contents.get('Selected Checklist Items') ?? '',
    message: message.value,
    disagrees: isSatisfied({ score: score.value }) !== (decision.value === 'END'),
  };
  const disagreement = `the score is ${score.value} but the decision is ${decision.value}: END belongs to a score of 10 and to no other`;
  if (subject === undefined) return accept(turn, turn.disagrees ? disagreement : undefined);
  const problems = listUserTurnProblems(turn, subject);
  if (turn.disagrees) problems.push(disagreement);
  return problems.length > 0 ? reject(problems) : accept(turn);
}

function parseSections(text: string): { contents: Map<UserSection, string>; problems: string[] } {
  // A message may have headings of its own.
  const sectionsByTitle = groupBy(
    listSections(text, USER_SECTIONS, { keepsOthers: true, allowsWords: true }),
    ({ title }) => title,
  );
  const contents = new Map<UserSection, string>();
  for (const [title, sections] of sectionsByTitle)
    contents.set(title, findLastSection(sections)?.content ?? '');
  const missing = USER_SECTIONS.filter((section) => !contents.has(section));
  const problem = `the answer lacks the section ${missing.map((section) => `"#### ${section}"`).join(' and ')}`;
  return { contents, problems: missing.length > 0 ? [problem] : [] };
}

function parseDecision(section: string): CheckResult<'CONTINUE' | 'END'> {
  const word = section
    .replaceAll(/[*_`"'“”‘’<>()[\]]/g, '')
    .replace(/^\s*decision\s*:/i, '')
    .replace(/[.!]+\s*$/, '')
    .trim()
    .toUpperCase();
  if (word === 'CONTINUE' || word === 'END') return accept(word);
  return reject([
    `the section "#### Continue or End?" must be either CONTINUE or END, but it reads ${quoteAnswer(section)}`,
  ]);
}

function parseMessage(section: string): CheckResult<string> {
  return isOmitted(section) || isPlaceholder(section)
    ? reject([
        'the section "#### Your Message" must hold the message to the assistant, also when you end the conversation',
      ])
    : accept(section);
}
