import { DataError } from './error';
import { formatValue } from '../../schemas/text/value-text';

/**
 * For each pattern of a card the names that match it, as the Hub's tools match paths: `*` and `?` stay within a directory,
 * `**` does not. Cards are foreign input, so the work is bounded: each pattern is matched in one pass over a name.
 * @param card names the card in messages
 * @throws DataError when the card has more or longer patterns than are matched
 */
export function matchPatterns(
  card: string,
  patterns: readonly string[],
  names: readonly string[],
): string[][] {
  const wild = patterns.filter(isWild);
  if (wild.length > MAX_PATTERNS) {
    throw new DataError(
      `${card}: "configs" has ${wild.length} file patterns with "*" or "?", but at most ${MAX_PATTERNS} are read. Use fewer patterns, or name the ` +
        'files without them.',
    );
  }
  const long = wild.find((pattern) => pattern.length > MAX_PATTERN_LENGTH);
  if (long !== undefined) {
    throw new DataError(
      `${card}: "configs" has a file pattern of ${long.length} characters (${formatValue(long)}), but at most ${MAX_PATTERN_LENGTH} are read. ` +
        'Shorten it.',
    );
  }
  const present = new Set(names);
  return patterns.map((pattern) => {
    if (!isWild(pattern)) return present.has(pattern) ? [pattern] : [];
    const steps = parsePattern(pattern);
    return names.filter((name) => name.length <= MAX_NAME_LENGTH && matchSteps(name, steps));
  });
}

/** Whether a pattern can match more than the one path that it spells. */
export function isWild(pattern: string): boolean {
  return /[*?]/.test(pattern);
}

const MAX_PATTERNS = 100;
const MAX_PATTERN_LENGTH = 256;
/** More than the Hub takes. */
const MAX_NAME_LENGTH = 1024;

/** `{ one }` matches one character, `{ any }` any number of them, `{ folders: true }` whole directories with their `/`. */
type Step =
  | { readonly one: (character: string) => boolean }
  | { readonly any: (character: string) => boolean }
  | { readonly folders: true };

function parsePattern(pattern: string): Step[] {
  const parts = pattern.match(/\*\*\/?|[\s\S]/g) ?? [];
  return parts.map((part) => {
    if (part === '**/') return { folders: true };
    if (part === '**') return { any: () => true };
    if (part === '*') return { any: (character) => character !== '/' };
    return { one: (character) => (part === '?' ? character !== '/' : character === part) };
  });
}

/** Follows all the ways in which the steps could match at once, so that no way is tried twice. */
function matchSteps(name: string, steps: readonly Step[]): boolean {
  let reached = reach(new Uint8Array(steps.length + 1), 0, steps);
  for (const character of name.split('')) {
    const next = new Uint8Array(steps.length + 1);
    for (const [at, step] of steps.entries()) {
      if (reached[at] === 0) continue;
      if ('one' in step) {
        if (step.one(character)) reach(next, at + 1, steps);
      } else if ('any' in step) {
        if (step.any(character)) reach(next, at, steps);
      } else if (character === '/') {
        reach(next, at, steps);
      } else {
        // In the middle of a directory's name: what follows cannot begin here.
        next[at] = 1;
      }
    }
    reached = next;
  }
  return reached[steps.length] === 1;
}

/** Marks a step, and those after it up to the first that must match a character. */
function reach(marks: Uint8Array, from: number, steps: readonly Step[]): Uint8Array {
  for (let at = from; ; at += 1) {
    marks[at] = 1;
    const step = steps[at];
    if (step === undefined || 'one' in step) return marks;
  }
}
