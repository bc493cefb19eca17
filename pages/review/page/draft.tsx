import { useRef, useState } from 'preact/hooks';
import type { Revision } from '../../../schemas/review/review';

/** Input of a rater that is not saved yet. */
interface Draft {
  /** Labels by item; null if none is chosen. */
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
  /** True if the browser had unsaved changes from an earlier visit or another tab when the task was opened. */
  readonly isRestored: boolean;
  /** Restores the saved annotation. */
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
    // Stored before the next rendering, because the page may close first.
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

/** Reads the draft from the browser's storage; undefined if there is none, it is damaged, or the browser denies access. */
function readDraft(key: string): Draft | undefined {
  try {
    const draft: Draft | null = JSON.parse(localStorage.getItem(key) ?? 'null');
    return draft ?? undefined;
  } catch {
    return undefined;
  }
}

let isLatestStored = true;

/** Returns whether a reload of the page keeps the latest change to a draft. */
export function isLatestChangeStored(): boolean {
  return isLatestStored;
}

function storeDraft(key: string, draft: Draft): boolean {
  try {
    localStorage.setItem(key, JSON.stringify(draft));
    isLatestStored = true;
  } catch {
    isLatestStored = false;
  }
  return isLatestStored;
}

/** Removes a saved draft from the browser's storage. */
export function removeDraft(key: string): void {
  try {
    localStorage.removeItem(key);
  } catch {
    // A browser that denies access to its storage has stored no draft.
  }
  isLatestStored = true;
}
