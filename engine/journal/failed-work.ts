import type { MemoryErrorKind } from '../../schemas/evaluation/memory-error';
import type { ModelErrorKind } from '../../schemas/model/error-kind';
import type { FailedWork } from '../../schemas/run/outcome';

/** An entry of the journal is damaged or missing, so work that needs it cannot continue. */
export const JOURNAL_DAMAGED = 'journal-damaged';

/** The request of the journal's answer was built from an earlier answer that has changed since. */
export const ANSWER_CHANGED = 'answer-changed';

/** Returns true if `cupid retry --damaged` repairs the cause of the failure. */
export function isDamage({ kind }: Pick<FailedWork, 'kind'>): boolean {
  return kind === JOURNAL_DAMAGED || kind === ANSWER_CHANGED;
}

/** A link, FIFO or the like is in the place of a file or directory of the run. */
export const IRREGULAR_FILE = 'irregular-file';

/**
 * The provider rejected the request as invalid, or the key for it, but accepts others. Unlike `refused`, nothing says that it moderates prompts, but
 * the effect is the same.
 */
export const REJECTED = 'rejected';

const SET_UP: ReadonlySet<string> = new Set<
  ModelErrorKind | MemoryErrorKind | 'journal-mismatch' | typeof IRREGULAR_FILE
>([
  'bad-key',
  'unknown-model',
  // A parameter that the model does not support, or a limit above the model's. Other personas would fail in the same way.
  'bad-request',
  'memory-set-up',
  // The journal was written with other settings, prompts or code.
  'journal-mismatch',
  IRREGULAR_FILE,
]);

/** Returns true if the configuration is wrong, not the work. After a fix the same work may succeed, so no persona fails because of it. */
export function isMisconfigured(work: Pick<FailedWork, 'kind'>): boolean {
  return SET_UP.has(work.kind);
}
