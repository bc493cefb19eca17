import { createHash } from 'node:crypto';
import { SPLITS, type Split } from '../../schemas/dataset/split';

/** Prefix of a persona's id before it is hashed. It never changes, so that a persona keeps its split. */
export const SPLIT_SALT = 'cupid-split-1';

/** Python expression of a persona's split. */
export const SPLIT_RULE = `${JSON.stringify(SPLITS)}[int(hashlib.sha256(f"{salt}:{persona_id}".encode()).hexdigest()[:8], 16) % ${SPLITS.length}]`;

/**
 * Returns the split of a persona by `SPLIT_RULE`: a third of all personas are in each. It depends on the id alone, so it is the same in every data
 * set that has the persona, however many others there are.
 */
export function getSplit(personaId: string): Split {
  const hash = createHash('sha256').update(`${SPLIT_SALT}:${personaId}`).digest();
  const [first, ...otherSplits] = SPLITS;
  return otherSplits[(hash.readUInt32BE(0) % SPLITS.length) - 1] ?? first;
}
