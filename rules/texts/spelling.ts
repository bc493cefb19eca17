import { keepRecent } from '../keep-recent';

/** Normalizes the spelling of a factor or preference: spaces around it and a final full stop do not count. */
export function normalizeSpelling(text: string): string {
  const trimmed = text.trim();
  return trimmed.endsWith('.') ? trimmed.slice(0, -1).trimEnd() : trimmed;
}

/** Returns true if two texts differ at most in spaces around them, a final full stop, and the shape of quotation marks and dashes. */
export function isSameSpelling(a: string, b: string): boolean {
  return a === b || unifyMarks(normalizeSpelling(a)) === unifyMarks(normalizeSpelling(b));
}

/** Returns true if two texts differ at most in their spelling, case, and the composition of Unicode characters. */
export function isSameText(a: string, b: string): boolean {
  return a === b || normalizeText(a) === normalizeText(b);
}

const normalizeText = keepRecent(
  (text) => unifyMarks(normalizeSpelling(text)).normalize('NFKC').toLowerCase(),
  50_000,
);

/** Writes quotation marks, apostrophes and dashes as on a keyboard, because models change their shape when they repeat a text. */
function unifyMarks(text: string): string {
  return text
    .replaceAll(/[‘’‚‛′ʼ`´]/g, "'")
    .replaceAll(/[“”„‟″«»]/g, '"')
    .replaceAll(/[\p{Pd}−]/gu, '-');
}
