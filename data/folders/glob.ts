import { DataError } from '../store/data-error';
import { formatValue } from '../../schemas/text/value-text';

/**
 * Returns, for each pattern of a card, the names that match it as for the Hub's tools: `*`, `?` and `[…]` stay within a directory, `**` does not.
 * Cards are foreign input, so the work is bounded: each pattern is matched in one pass over a name.
 * @param card names the card in messages
 * @throws DataError when the card has too many or too long patterns
 */
export function matchPatterns(
  card: string,
  patterns: readonly string[],
  names: readonly string[],
): string[][] {
  const wild = patterns.filter(isWild);
  if (wild.length > MAX_PATTERNS) {
    throw new DataError(
      `${card}: "configs" has ${wild.length} file patterns with "*", "?" or "[", but at most ${MAX_PATTERNS} are read. Use fewer patterns, or name the ` +
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
    const parts = pattern.match(PARTS) ?? [];
    return names.filter((name) => name.length <= MAX_NAME_LENGTH && matchParts(parts, name));
  });
}

/** Returns whether a pattern can match more than one path. */
export function isWild(pattern: string): boolean {
  return /[*?[]/.test(pattern);
}

/** Wildcards, classes and single characters. A "]" that comes first in a class is one of its characters, as in `fnmatch` of Python. */
const PARTS = /\*\*\/?|\[(?:![^/]|[^/!])[^\]/]*\]|[\s\S]/g;

const MAX_PATTERNS = 100;
const MAX_PATTERN_LENGTH = 256;
/** Longer than any name on the Hub. */
const MAX_NAME_LENGTH = 1024;

/**
 * Returns whether a pattern's parts match a whole name. After each part, `ends` holds all places where a match so far can end, so no path
 * is tried twice.
 */
function matchParts(parts: readonly string[], name: string): boolean {
  let ends = Array.from({ length: name.length + 1 }, (_, at) => at === 0);
  for (const part of parts) {
    // Whether an earlier match extends to here.
    let goesOn = false;
    ends = ends.map((isEnd, at) => {
      const character = name[at - 1];
      if (part === '**/') {
        goesOn ||= ends[at - 1] === true;
        return isEnd || (goesOn && character === '/');
      }
      if (part === '**' || part === '*') {
        goesOn = isEnd || (goesOn && (part === '**' || character !== '/'));
        return goesOn;
      }
      return ends[at - 1] === true && character !== undefined && matchCharacter(part, character);
    });
    if (!ends.includes(true)) return false;
  }
  return ends[name.length] === true;
}

/** Returns whether a part for one character matches it. */
function matchCharacter(part: string, character: string): boolean {
  if (part === '?') return character !== '/';
  if (part.length === 1) return character === part;
  const isNegated = part[1] === '!';
  // A hyphen between two characters makes a range.
  const ranges = part.slice(isNegated ? 2 : 1, -1).match(/[\s\S]-[\s\S]|[\s\S]/g) ?? [];
  const isMember = ranges.some(([from = '', , to = from]) => from <= character && character <= to);
  return character !== '/' && isMember !== isNegated;
}
