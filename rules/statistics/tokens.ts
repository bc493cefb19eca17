import { LRUCache } from 'lru-cache';
import type * as O200k from 'gpt-tokenizer/encoding/o200k_base';

/** The tokenizer for lengths. The paper names none; this is the one of the models that it evaluates with. */
export const TOKENIZER = 'o200k_base';

/** Counts the tokens of a text; special tokens in it count as text. */
export function countTokens(text: string): number {
  return loadTokenizer().countTokens(text, { disallowedSpecial: new Set() });
}

/**
 * Creates a function that counts the tokens of texts with parts in common, such as the histories of a persona's instances. Each part is
 * counted once. It begins with a heading, because the tokenizer never has a line break and a following # in one token.
 */
export function createTokenCounter(): typeof countTokens {
  const tokensByPart = new LRUCache<string, number>({ max: PARTS_KEPT });
  return (text) =>
    text.split(/(?<=\n)(?=#)/).reduce((sum, part) => {
      const tokens = tokensByPart.get(part) ?? countTokens(part);
      tokensByPart.set(part, tokens);
      return sum + tokens;
    }, 0);
}

/** More than the messages of ten personas. */
const PARTS_KEPT = 2_000;

/** Returns the beginning of a text that has at most this many tokens. */
export function cutToTokens(text: string, maxTokens: number): string {
  const { encode, decode } = loadTokenizer();
  const tokens = encode(text, { disallowedSpecial: new Set() });
  // The cut may be within a character.
  return tokens.length <= maxTokens ? text : decode(tokens.slice(0, maxTokens)).replace(/\uFFFD+$/, '');
}

let loaded: typeof O200k | undefined;

/** Loads the tokenizer on first use: its table would take up a third of the start-up time of every command. */
export function loadTokenizer(): typeof O200k {
  if (loaded !== undefined) return loaded;
  const now: typeof O200k = require('gpt-tokenizer/encoding/o200k_base');
  loaded = now;
  return now;
}
