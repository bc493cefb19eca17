import { keepRecent } from '../keep-recent';

/** Removes spaces around a factor or preference, and its final full stop. */
export function stripFinalStop(text: string): string {
  const trimmed = text.trim();
  return trimmed.endsWith('.') ? trimmed.slice(0, -1).trimEnd() : trimmed;
}

/** Returns true if two texts differ at most in spaces around them and a final full stop, as the reference compares them. */
export function isSameInReference(a: string, b: string): boolean {
  return stripFinalStop(a) === stripFinalStop(b);
}

/** Returns true if two texts differ at most in spaces around them, a final full stop, and the shape of quotation marks and dashes. */
export function isSameSpelling(a: string, b: string): boolean {
  return a === b || unifyMarks(stripFinalStop(a)) === unifyMarks(stripFinalStop(b));
}

/** Returns true if two texts differ at most in their spelling, case, and the composition of Unicode characters. */
export function isSameText(a: string, b: string): boolean {
  return a === b || normalizeText(a) === normalizeText(b);
}

const normalizeText = keepRecent(
  (text) => unifyMarks(stripFinalStop(text)).normalize('NFKC').toLowerCase(),
  50_000,
);

/** Writes quotation marks, apostrophes and dashes as on a keyboard, because models change their shape when they repeat a text. */
function unifyMarks(text: string): string {
  return text
    .replaceAll(/[‘’‚‛′ʼ`´]/g, "'")
    .replaceAll(/[“”„‟″«»]/g, '"')
    .replaceAll(/[\p{Pd}−]/gu, '-');
}
