import type { FailedWork } from '../schemas/outcome';

const SET_UP: ReadonlySet<string> = new Set([
  'bad-key',
  'unknown-model',
  // A parameter the model does not take, a limit above the model's: every other persona would fail of it as well.
  'bad-request',
  // The journal was written by other settings, prompts or code.
  'journal-mismatch',
]);

/** True when the set-up is at fault, not the work: mended, the same work may succeed, so no persona fails of it. */
export function isMisconfigured(work: Pick<FailedWork, 'kind'>): boolean {
  return SET_UP.has(work.kind);
}
