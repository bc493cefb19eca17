/**
 * 32 bits of a text, unsigned, to distinguish texts without storing them; not cryptographic. Nothing keeps them longer than a
 * validation lasts.
 * @param start the hash of what stands before the text, for one over several
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
