import { createHash } from 'node:crypto';

/** Identifies what a batch is submitted with, a key above all, by the first digits of a SHA-256. */
export function identifyAccount(...parts: readonly (string | undefined)[]): string {
  return createHash('sha256').update(JSON.stringify(parts)).digest('hex').slice(0, 16);
}
