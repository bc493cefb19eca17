import { pluralize } from '../../schemas/text/count-text';
import { splitIntoLines } from '../../schemas/text/lines';
import { listPresent } from '../../schemas/text/list-present';
import { listSelectedItems } from '../dialogue/ending';
import { hasQuotation } from '../texts/compare-texts';
import { listMessageProblems } from './user-message';

/** The subject of a dialogue, and the items that its user has selected so far. */
export interface DialogueSubject {
  /** The user's first message. */
  readonly opening: string;
  readonly preference: string;
  readonly checklist: readonly string[];
  /** The section "Selected Checklist Items" of the user's earlier turns. */
  readonly selected: readonly string[];
}

/** The sections of a user's turn that are compared with each other. */
interface TurnSections {
  readonly evaluation: string;
  readonly score: number;
  readonly decision: 'CONTINUE' | 'END';
  readonly selected: string;
  readonly message: string;
}

/**
 * Reports problems of a user's turn beyond its form (paper, B.4, appendix E and figure 19). The score is 10 exactly if each item is satisfied. A
 * message raises at most one dissatisfied item, and only items that exist. It quotes neither the preference nor an item. The dialogue ends only
 * after each item has been selected. The message reads like a user's.
 */
export function listUserTurnProblems(turn: TurnSections, subject: DialogueSubject): string[] {
  const { opening, preference, checklist } = subject;
  const verdicts = readVerdicts(turn.evaluation, checklist.length);
  const items = checklist.map((_, index) => index + 1);
  const open = items.filter((item) => !verdicts.has(item));
  if (open.length > 0) {
    return [
      `the section "#### Evaluation of AI Assistant's Response" must number the items and close each with Satisfied or Dissatisfied; it lacks ${formatItems(open)}`,
    ];
  }
  const satisfied = items.every((item) => verdicts.get(item) === true);
  const selected = listSelectedItems(turn.selected);
  const raised = selected.filter((item) => verdicts.get(item) === false);
  const knownItems = [...subject.selected.flatMap(listSelectedItems), ...selected];
  const unselectedItems = turn.decision === 'END' ? items.filter((item) => !knownItems.includes(item)) : [];
  return listPresent(
    satisfied && turn.score !== 10 && `every item is satisfied, so the score must be 10, not ${turn.score}`,
    !satisfied && turn.score === 10 && 'the score is 10, but an item is dissatisfied',
    ...selected
      .filter((item) => !items.includes(item))
      .map(
        (item) =>
          `the section "#### Selected Checklist Items" names item ${item}, but the checklist has none`,
      ),
    raised.length > 1 &&
      `the message may raise one dissatisfied item, but items ${raised.join(' and ')} are selected`,
    [preference, ...checklist].some((source) => hasQuotation(turn.message, source)) &&
      'the message quotes the preference or an item of the checklist; say it indirectly',
    ...listMessageProblems(turn.message, opening),
    unselectedItems.length > 0 &&
      `the conversation ends, but ${formatItems(unselectedItems)} ${pluralize(unselectedItems.length, 'was', 'were')} never selected; select in the last message what no message has referred to`,
  );
}

function formatItems(items: readonly number[]): string {
  return `${pluralize(items.length, 'item')} ${items.join(', ')}`;
}

/** Returns for each item number whether the evaluation calls the item satisfied, by the last verdict of its paragraph. */
export function readVerdicts(evaluation: string, nItems: number): Map<number, boolean> {
  const verdicts = new Map<number, boolean>();
  // A single item needs no number.
  let item = nItems === 1 ? 1 : undefined;
  for (const line of splitIntoLines(evaluation)) {
    const [, itemNumber, listed] = ITEM_START.exec(line) ?? [];
    const number = Number(itemNumber ?? listed);
    if (number >= 1 && number <= nItems) item = number;
    const verdict = [...line.matchAll(/\b(not |partly |partially )?(dis|un)?satisfied\b/gi)].at(-1);
    if (verdict !== undefined && item !== undefined) {
      verdicts.set(item, verdict[1] === undefined && verdict[2] === undefined);
    }
  }
  return verdicts;
}

/** "Item 2", "Checklist item #2", or a number as in lists. A paragraph may also begin with a number ("3 figures are wrong"). */
const ITEM_START = /^[^\p{L}\p{N}]*(?:(?:checklist\s+)?item\s+#?(\d+)\b|(\d+)\s*[^\p{L}\p{N}\s])/iu;
