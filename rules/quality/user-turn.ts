import { listSelectedItems } from '../dialogue/selection';
import { hasQuotation } from './compare-texts';

/** What a dialogue is about, and what its user has selected so far. */
export interface DialogueSubject {
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
 * What is wrong with a user's turn beyond its form (paper, B.4, appendix E and figure 19): the score is 10 exactly if each item is
 * satisfied; a message raises at most one dissatisfied item, and only items that exist; it quotes neither the preference nor an item; the
 * dialogue ends only when each item has been selected once. Empty where nothing is.
 */
export function listUserTurnProblems(turn: TurnSections, subject: DialogueSubject): string[] {
  const { preference, checklist } = subject;
  const verdicts = readVerdicts(turn.evaluation, checklist.length);
  const items = checklist.map((_, index) => index + 1);
  const open = items.filter((item) => !verdicts.has(item));
  if (open.length > 0) {
    return [
      `the section "#### Evaluation of AI Assistant's Response" must number the items and close each with Satisfied or Dissatisfied; it lacks item ${open.join(', ')}`,
    ];
  }
  const satisfied = items.every((item) => verdicts.get(item) === true);
  const selected = listSelectedItems(turn.selected);
  return [
    ...listScoreProblems(turn, satisfied),
    ...listSelectionProblems(selected, verdicts),
    ...([preference, ...checklist].some((source) => hasQuotation(turn.message, source))
      ? ['the message quotes the preference or an item of the checklist; say it indirectly']
      : []),
    ...(turn.decision === 'END'
      ? listNeverSelected(items, [...subject.selected.flatMap(listSelectedItems), ...selected])
      : []),
  ];
}

/** By item number, whether the evaluation calls it satisfied: by the last verdict of its paragraph. */
function readVerdicts(evaluation: string, nItems: number): Map<number, boolean> {
  const paragraphs = evaluation.split(/^(?=[^\p{L}\p{N}\n]*(?:item\s+)?\d+\W)/imu);
  const verdicts = new Map<number, boolean>();
  for (const paragraph of paragraphs) {
    const verdict = [...paragraph.matchAll(/\b(not |partly |partially )?(dis|un)?satisfied\b/gi)].at(-1);
    if (verdict === undefined) continue;
    const number = /^[^\p{L}\p{N}\n]*(?:item\s+)?(\d+)\W/iu.exec(paragraph)?.[1];
    // With one item there is nothing to number.
    if (number === undefined && nItems > 1) continue;
    verdicts.set(Number(number ?? 1), verdict[1] === undefined && verdict[2] === undefined);
  }
  return verdicts;
}

function listScoreProblems({ score }: TurnSections, satisfied: boolean): string[] {
  const problems: string[] = [];
  if (satisfied && score !== 10) {
    problems.push(`every item is satisfied, so the score must be 10, not ${score}`);
  }
  if (!satisfied && score === 10) problems.push('the score is 10, but an item is dissatisfied');
  return problems;
}

function listSelectionProblems(
  selected: readonly number[],
  verdicts: ReadonlyMap<number, boolean>,
): string[] {
  const raised = selected.filter((item) => verdicts.get(item) === false);
  return [
    ...selected
      .filter((item) => !verdicts.has(item))
      .map(
        (item) =>
          `the section "#### Selected Checklist Items" names item ${item}, but the checklist has none`,
      ),
    ...(raised.length > 1
      ? [`the message may raise one dissatisfied item, but items ${raised.join(' and ')} are selected`]
      : []),
  ];
}

function listNeverSelected(items: readonly number[], selected: readonly number[]): string[] {
  const never = items.filter((item) => !selected.includes(item));
  return never.length === 0
    ? []
    : [
        `the conversation ends, but item ${never.join(', ')} was never selected; select in the last message what no message has referred to`,
      ];
}
