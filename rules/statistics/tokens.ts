import type * as O200k from 'gpt-tokenizer/encoding/o200k_base';

/** The tokenizer that lengths are measured with. The paper names none; this is the one of the models it evaluates with. */
export const TOKENIZER = 'o200k_base';

/** Tokens of a text, whatever special tokens it may spell. */
export function countTokens(text: string): number {
  return loadTokenizer().countTokens(text, { disallowedSpecial: new Set() });
}

let loaded: typeof O200k | undefined;

/** Loaded when something is counted: its table would take up a third of the start of every command, most of which count nothing. */
function loadTokenizer(): typeof O200k {
  if (loaded !== undefined) return loaded;
  const now: typeof O200k = require('gpt-tokenizer/encoding/o200k_base');
  loaded = now;
  return now;
}
