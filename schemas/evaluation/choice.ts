// Workflows read these constants, so this module does not import zod.

/** Preferences that may be options: the one before the change, the one after it, the contrastive one, and that of an unrelated factor. */
export type OptionKind = 'original' | 'changed' | 'contrastive' | 'other';

/** Results of a choice: right, or the kind of its error. */
export const CHOICE_RESULTS = ['right', 'stale', 'wrong-context', 'other'] as const;
export type ChoiceResult = (typeof CHOICE_RESULTS)[number];

/** Returns the letter of an option: A for index 0. */
export function formatLetter(index: number): string {
  return LETTERS.charAt(index);
}

const LETTERS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ';
