import { useRef, useState } from 'preact/hooks';
import type { Revision } from '../../schemas/review/review';

/** What a rater has entered and not saved yet. */
export interface Draft {
  /** By item; null where nothing is chosen. */
  readonly labels: readonly (string | null)[];
  readonly realism: number | null;
  readonly implicitness: number | null;
  readonly revisions: readonly Revision[];
  readonly isRejected: boolean;
  readonly reason: string;
}

/**
 * A draft that is still there after a reload of the page and a restart of its server: the browser stores it.
 * @param key of this task of this rater alone
 */
export function useDraft(key: string, initial: Draft): readonly [Draft, (changes: Partial<Draft>) => void] {
  const [draft, setDraft] = useState<Draft>(() => {
    const stored = localStorage.getItem(key);
    if (stored === null) return initial;
    const known: Draft = JSON.parse(stored);
    return known;
  });
  const latest = useRef(draft);
  const change = (changes: Partial<Draft>) => {
    latest.current = { ...latest.current, ...changes };
    // At once: the page may be gone before it is drawn again.
    localStorage.setItem(key, JSON.stringify(latest.current));
    setDraft(latest.current);
  };
  return [draft, change];
}

/** Forgets a draft, once it is saved. */
export function removeDraft(key: string): void {
  localStorage.removeItem(key);
}
