import { hasInnerReasoning, separateText } from '../../schemas/model/answer-text';
import type { JournalEntry } from '../../schemas/run/journal';
import type { LEDGER_STEPS } from '../../schemas/run/step';

/** What was cut off from an answer before it was used: 1, or absent. */
export interface Separations {
  readonly separated?: 1;
  readonly trimmed?: 1;
}

/** Counts for one answer whether reasoning was separated from it, and whether special tokens were cut off. */
export function countSeparations(
  step: (typeof LEDGER_STEPS)[number],
  { text, raw, finish }: JournalEntry['answer'],
): Separations {
  const { reasoning, hadTokens = false } = raw === undefined ? {} : separateText(raw);
  // Of a model whose template begins its reasoning, reasoning that was cut off has no mark.
  const isCut = raw !== undefined && finish === 'reasoning';
  const isSeparated = reasoning !== undefined || isCut || (!WHOLE.has(step) && hasInnerReasoning(text));
  return { ...(isSeparated ? { separated: 1 } : {}), ...(hadTokens ? { trimmed: 1 } : {}) };
}

/** Steps whose answer is one text, without sections and strings: a tag inside it belongs to it. */
const WHOLE: ReadonlySet<string> = new Set(['assistant', 'respond', 'check']);
