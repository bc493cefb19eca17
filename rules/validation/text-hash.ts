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
