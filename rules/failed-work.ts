import type { FailedWork } from '../schemas/outcome';

/** True when the set-up is at fault, not the work: a key or a model name the provider does not know. */
export function isMisconfigured(work: Pick<FailedWork, 'kind'>): boolean {
  return work.kind === 'bad-key' || work.kind === 'unknown-model';
}
