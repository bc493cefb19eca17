import type { FailedWork } from '../../schemas/run/outcome';

/** An entry of the journal is damaged or missing, so the work that needs it cannot continue. */
export const JOURNAL_DAMAGED = 'journal-damaged';

/** The journal's answer was given to a request that was built from another earlier answer than there is now. */
export const ANSWER_CHANGED = 'answer-changed';

/** Returns true when `cupid retry --damaged` repairs what the work failed of. */
export function isDamage({ kind }: Pick<FailedWork, 'kind'>): boolean {
  return kind === JOURNAL_DAMAGED || kind === ANSWER_CHANGED;
}

/** A link, a FIFO or the like is in the place of a file or directory of the run. */
export const IRREGULAR_FILE = 'irregular-file';

const SET_UP: ReadonlySet<string> = new Set([
  'bad-key',
  'unknown-model',
  // A parameter the model does not take, a limit above the model's: every other persona would fail of it as well.
  'bad-request',
  // The journal was written with other settings, prompts or code.
  'journal-mismatch',
  IRREGULAR_FILE,
]);

/** Returns true if the configuration is wrong, not the work: after a fix the same work may succeed, so no persona fails because of it. */
export function isMisconfigured(work: Pick<FailedWork, 'kind'>): boolean {
  return SET_UP.has(work.kind);
}
