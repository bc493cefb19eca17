import { counted } from '../../../schemas/count-text';

/**
 * A model's answer after checking: the value it gives, or why it gives none. `doubt` says what makes a usable value worth
 * asking for once more; `reason` and `doubt` are sentences to the model that gave the answer.
 */
export type Checked<T> = { ok: true; value: T; doubt?: string } | { ok: false; reason: string };

/** How many problems one reason lists; a model mends a few at a time. */
const LISTED_PROBLEMS = 5;

/** An answer that may be used. */
export function accepted<T>(value: T, doubt?: string): Checked<T> {
  return doubt === undefined ? { ok: true, value } : { ok: true, value, doubt };
}

/** An answer that may not be used, for these problems, the first five of which are told. */
export function rejected(problems: readonly string[]): {
  ok: false;
  reason: string;
} {
  const more = problems.length - LISTED_PROBLEMS;
  const told = problems.slice(0, LISTED_PROBLEMS);
  if (more > 0) told.push(`and ${counted(more, 'more problem')} like these`);
  return { ok: false, reason: `${told.join('; ')}.` };
}

/** An answer that ended at its token limit, and so is not whole. */
export function cutOff(maxTokens: number): { ok: false; reason: string } {
  return { ok: false, reason: `it was cut off at the limit of ${maxTokens} tokens; answer more briefly` };
}

/** An answer whose reasoning left no room for its text. */
export function usedUpByReasoning(): { ok: false; reason: string } {
  return { ok: false, reason: 'reasoning used up the token limit' };
}

/** A piece of the answer as it is quoted in a reason: on one line and not at any length. */
export function quoted(text: string): string {
  const line = text.replaceAll(/\s+/g, ' ').trim();
  const short = line.length > 200 ? `${line.slice(0, 200).replace(/\p{Cs}$/u, '')}…` : line;
  return `"${short}"`;
}
