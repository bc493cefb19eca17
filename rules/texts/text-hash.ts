import { isAscii } from './words';

/**
 * Computes an unsigned hash of 32 bits, which distinguishes texts without storing them. It is not cryptographic, and is kept no longer than
 * a validation lasts.
 * @param start hash of the preceding text, to hash several texts together
 */
export function hashText(text: string, start = 0x9e3779b9): number {
  const { imul } = Math;
  let hash = start | 0;
  for (let place = 0; place < text.length; place += 1) {
    hash = imul(hash ^ text.charCodeAt(place), 0x2c1b3c6d);
    hash ^= hash >>> 15;
  }
  // The length keeps ("ab", "c") and ("a", "bc") apart where hashes are chained.
  hash = imul(hash ^ text.length, 0x297a2d39);
  return (hash ^ (hash >>> 14)) >>> 0;
}

/** Computes a hash of 53 bits, which distinguishes millions of lists of texts. */
export function hashTexts(texts: readonly string[]): number {
  const high = texts.reduce((hash, text) => hashText(text, hash), 0);
  const low = texts.reduce((hash, text) => hashText(text, hash), 1);
  return high * 2 ** 21 + (low >>> 11);
}

/** Computes a hash of the letters a to z and digits of a text. Texts with the same words have the same, whatever their case and punctuation. */
export function hashLetters(text: string): number {
  const { imul } = Math;
  const letters = isAscii(text) ? text : text.normalize('NFKC').toLowerCase();
  let hash = 0;
  for (let place = 0; place < letters.length; place += 1) {
    const unit = letters.charCodeAt(place);
    // Adding 32 makes an upper-case letter a lower-case one.
    const letter = unit >= 65 && unit <= 90 ? unit + 32 : unit;
    if ((letter >= 97 && letter <= 122) || (letter >= 48 && letter <= 57)) {
      hash = imul(hash ^ letter, 0x2c1b3c6d);
      hash ^= hash >>> 15;
    }
  }
  return hash;
}
