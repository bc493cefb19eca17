import { useRef, useState } from 'preact/hooks';
import type { Revision } from '../../../schemas/review/review';

/** Input of a rater that is not saved yet. */
export interface Draft {
  /** By item; null where nothing is chosen. */
  readonly labels: readonly (string | null)[];
  readonly realism: number | null;
  readonly implicitness: number | null;
  readonly revisions: readonly Revision[];
  readonly isRejected: boolean;
  readonly reason: string;
}

interface KeptDraft {
  readonly draft: Draft;
  readonly change: (changes: Partial<Draft>) => void;
  /** False if the browser could not store the latest change, for example because its storage is full. */
  readonly isStored: boolean;
  /** Whether the browser had changes of what is saved when the task was opened: of an earlier visit, or of another tab. */
  readonly isRestored: boolean;
  /** Returns to what is saved. */
  readonly discard: () => void;
}

/**
 * Keeps a draft in the browser's storage, so that it survives a reload of the page and a restart of its server.
 * @param key key of this rater's draft of this task
 */
export function useDraft(key: string, saved: Draft): KeptDraft {
  const [draft, setDraft] = useState(() => readDraft(key) ?? saved);
  const [isRestored, setRestored] = useState(() => JSON.stringify(draft) !== JSON.stringify(saved));
  const [isStored, setStored] = useState(true);
  const latest = useRef(draft);
  const change = (changes: Partial<Draft>) => {
    latest.current = { ...latest.current, ...changes };
    // At once: the page may be gone before it is drawn again.
    setStored(storeDraft(key, latest.current));
    setDraft(latest.current);
  };
  const discard = () => {
    removeDraft(key);
    latest.current = saved;
    setDraft(saved);
    setRestored(false);
    setStored(true);
  };
  return { draft, change, isStored, isRestored, discard };
}

function readDraft(key: string): Draft | undefined {
  const stored = localStorage.getItem(key);
  if (stored === null) return undefined;
  const known: Draft = JSON.parse(stored);
  return known;
}

function storeDraft(key: string, draft: Draft): boolean {
  try {
    localStorage.setItem(key, JSON.stringify(draft));
    return true;
  } catch {
    return false;
  }
}

/** Forgets a draft, once it is saved. */
export function removeDraft(key: string): void {
  localStorage.removeItem(key);
}
