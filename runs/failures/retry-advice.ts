import { isDamage } from '../../journal/failed-work';

/** Which `cupid retry` commands finish failed work. */
export interface RetryAdvice {
  /** `cupid retry --damaged`: some of it failed because the journal is damaged. */
  readonly repair: boolean;
  /** `cupid retry`: some of it failed for another reason. */
  readonly retry: boolean;
}

/** Chooses the commands by the kinds of the failures. */
export function adviseRetry(failed: readonly { readonly kind: string }[]): RetryAdvice {
  return { repair: failed.some(isDamage), retry: failed.some((work) => !isDamage(work)) };
}
