import { createHash } from 'node:crypto';

/** In hexadecimal. */
export function computeSha256(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}
