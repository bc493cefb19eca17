import { countTokens as count } from 'gpt-tokenizer/encoding/o200k_base';

/** The tokenizer that lengths are told in. The paper names none; this is the one of the models it evaluates with. */
export const TOKENIZER = 'o200k_base';

/** Tokens of a text, whatever special tokens it may spell. */
export function countTokens(text: string): number {
  return count(text, { disallowedSpecial: new Set() });
}
