import { hasInnerReasoning, separateText } from '../../schemas/model/answer-text';
import type { JournalEntry } from '../../schemas/run/journal';
import type { LEDGER_STEPS } from '../../schemas/run/step';

/** Whether reasoning or special tokens were separated from an answer; absent if not. */
interface Separations {
  readonly separated?: true;
  readonly trimmed?: true;
}

/** Counts for one answer whether reasoning was separated, and whether special tokens were. */
export function countSeparations(
  step: (typeof LEDGER_STEPS)[number],
  { text, raw, finish }: JournalEntry['answer'],
): Separations {
  const { reasoning, hadTokens = false } = raw === undefined ? {} : separateText(raw);
  // If a model's template opens the reasoning, reasoning that hit the limit has no mark.
  const isCut = raw !== undefined && finish === 'reasoning';
  const isSeparated = reasoning !== undefined || isCut || (!WHOLE.has(step) && hasInnerReasoning(text));
  return { ...(isSeparated ? { separated: true } : {}), ...(hadTokens ? { trimmed: true } : {}) };
}

/** Steps whose answer is one text, without sections and strings: a tag inside it belongs to it. */
const WHOLE: ReadonlySet<string> = new Set(['assistant', 'respond', 'check']);
