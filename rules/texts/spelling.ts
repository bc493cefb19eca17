import { keepRecent } from '../keep-recent';

/** Normalizes the spelling of a factor or preference: spaces around it and a final full stop do not count. */
export function normalizeSpelling(text: string): string {
  const trimmed = text.trim();
  return trimmed.endsWith('.') ? trimmed.slice(0, -1).trimEnd() : trimmed;
}

/** Returns true if two texts differ at most in spaces around them, a final full stop, case, and the composition of Unicode characters. */
export function isSameText(a: string, b: string): boolean {
  return a === b || normalizeText(a) === normalizeText(b);
}

const normalizeText = keepRecent((text) => normalizeSpelling(text).normalize('NFKC').toLowerCase(), 50_000);
