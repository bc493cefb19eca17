import { formatLetter } from '../../../schemas/evaluation/choice';
import { accept, checkText, isSameText, quoteAnswer, reject, type CheckResult } from '../form/checks';
import { findLastSection, listSections } from '../form/sections';

const HEADING = '### Choice';

/**
 * Returns the index of the chosen option. Accepts the letter alone, in brackets, bold type or `\boxed{}`, behind a label such as `Answer:`,
 * before the option's text, or the text itself; below the heading, or without one on a line of its own. Never guesses: two letters, or the
 * letter of one option with the text of another, are no choice.
 */
export function checkChoice(text: string, options: readonly string[]): CheckResult<number> {
  const answer = checkText(text);
  if (!answer.ok) return answer;
  const section = findLastSection(listSections(answer.value, ['Choice']));
  const content = section?.content ?? answer.value;
  const chosen = new Set(listLines(content).flatMap((line) => findOption(line, options) ?? []));
  const [index] = chosen;
  if (chosen.size === 1 && index !== undefined && index >= 0) return accept(index);
  const last = formatLetter(options.length - 1);
  return reject([
    `the section "${HEADING}" must hold one letter from A to ${last} and nothing else, but it reads ${quoteAnswer(content)}`,
  ]);
}

/** Lists the lines of an answer without its marks of type. */
function listLines(content: string): string[] {
  return content
    .replaceAll(/\\boxed\b|\\text\b|[*_`$]/g, '')
    .normalize('NFKC')
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '');
}

/** Returns the index of the option that a line names: -1 for a letter that is none, or that contradicts the text; undefined if it names none. */
function findOption(line: string, options: readonly string[]): number | undefined {
  const spelled = LETTER.exec(line)?.groups;
  const text = spelled === undefined ? line : (spelled['text'] ?? '');
  const named = options.findIndex((option) => isSameText(option, text));
  const letter = spelled?.['letter'];
  if (letter === undefined) return named < 0 ? undefined : named;
  const index = options.findIndex((_, at) => formatLetter(at) === letter.toUpperCase());
  return named >= 0 && named !== index ? -1 : index;
}

/** One letter, perhaps behind a label; a text follows only behind a sign, because "A" is also an article. */
const LETTER =
  /^(?:(?:(?:my|the) )?(?:(?:final|best|correct|right) )?(?:answer|option|choice|letter)(?: is)?:? *)?[([{]*(?<letter>[A-Za-z])[)\]}]*(?:[.:)]?$|(?:[.:)]| -| –| —)\s*(?<text>\S.*)$)/i;
