import { createHash } from 'node:crypto';
import { encode } from 'gpt-tokenizer/encoding/o200k_base';

/** A received message: its text in one part, or in several if some are marked. */
export interface CachedMessage {
  readonly role: string;
  readonly parts: readonly { readonly text: string; readonly marked: boolean }[];
}

export interface CachedPrompt {
  /** `prompt_cache_key`; empty if none was sent. */
  readonly key: string;
  /** Whether only prefixes that end at a mark are written and read, as in OpenAI's explicit mode and at Anthropic. */
  readonly explicit: boolean;
  readonly messages: readonly CachedMessage[];
}

/** Cached part of a prompt, in tokens. */
export interface CacheUse {
  readonly input: number;
  readonly read: number;
  /** Tokens written beyond that, if writing is by mark. */
  readonly written: number;
}

/** Minimum of a cached prefix, and the steps in which automatic caching cuts one (OpenAI's, in tokens). */
const LEAST = 1_024;
const STEP = 128;

/**
 * A provider's prompt cache of the exact beginnings, in tokens, of answered prompts. It forgets nothing, because a run here takes less than
 * the five minutes that providers keep a prefix. Each machine has a cache of its own, and prompts of one key go to one machine, as at
 * OpenAI. An overloaded machine, which would pass prompts on, is not modeled.
 */
export class PrefixCache {
  readonly #kept = new Set<string>();

  constructor(private readonly machines = 1) {}

  /**
   * Looks a prompt up.
   * @returns its cached part, and a function that caches it once it is answered, because nobody can read it before
   */
  open({ key, explicit, messages }: CachedPrompt): { readonly use: CacheUse; readonly keep: () => void } {
    const { tokens, marks } = tokensOf(messages);
    const ends = explicit
      ? marks.filter((mark) => mark >= LEAST)
      : Array.from({ length: stepsIn(tokens.length) }, (_, step) => LEAST + step * STEP);
    const machine = Number.parseInt(sha256(key).slice(0, 12), 16) % this.machines;
    const prefixes = hashesAt(tokens, ends).map((hash) => `${machine} ${hash}`);
    const found = prefixes.findLastIndex((prefix) => this.#kept.has(prefix));
    const read = ends[found] ?? 0;
    return {
      use: { input: tokens.length, read, written: explicit ? Math.max(ends.at(-1) ?? 0, read) - read : 0 },
      keep: () => prefixes.forEach((prefix) => this.#kept.add(prefix)),
    };
  }
}

function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}

function stepsIn(tokens: number): number {
  return tokens < LEAST ? 0 : Math.floor((tokens - LEAST) / STEP) + 1;
}

/** Encodes messages, each between two tokens that no text has, the first of which names its role. */
function tokensOf(messages: readonly CachedMessage[]): { tokens: number[]; marks: number[] } {
  const tokens: number[] = [];
  const marks: number[] = [];
  for (const { role, parts } of messages) {
    tokens.push(-1 - ROLES.indexOf(role));
    for (const { text, marked } of parts) {
      // One by one, because the texts are too long for a spread.
      for (const token of encode(text, { disallowedSpecial: new Set() })) tokens.push(token);
      if (marked) marks.push(tokens.length);
    }
    tokens.push(END);
  }
  return { tokens, marks };
}

const ROLES = ['system', 'developer', 'user', 'assistant'];
const END = -9;

function hashesAt(tokens: readonly number[], ends: readonly number[]): string[] {
  const hash = createHash('sha256');
  let from = 0;
  return ends.map((end) => {
    hash.update(Int32Array.from(tokens.slice(from, end)));
    from = end;
    return hash.copy().digest('hex');
  });
}
