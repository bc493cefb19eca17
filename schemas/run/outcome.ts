import * as z from 'zod';
import { STEPS } from './step';

/** Failed work, as stored in `failures/`. */
export const failedWorkSchema = z.object({
  /** The id of the work that failed: a persona or a dialogue. */
  workflowId: z.string(),
  /** The persona's number. */
  persona: z.number().int().positive(),
  /** The session of the failed dialogue; absent if the persona failed before its dialogues. */
  session: z.number().int().positive().optional(),
  step: z.enum(STEPS).optional(),
  turn: z.number().int().nonnegative().optional(),
  /** `bad-answers`, a ModelError kind, `rejected`, or `unexpected`. */
  kind: z.string(),
  cause: z.string(),
  /** The problem of each answer, in the order of the attempts. */
  reasons: z.array(z.string()),
  /** Number of restarts of its persona's work; absent for none. */
  revision: z.number().int().positive().optional(),
});
export type FailedWork = z.infer<typeof failedWorkSchema>;

/** Why an attempt of a call has no answer, or why work failed. Temporal gets the kind only, because a cause may quote a model. */
export const unansweredSchema = z.object({ kind: z.string(), cause: z.string() });
export type Unanswered = z.infer<typeof unansweredSchema>;

/** Failed work as workflows know it, without any text of a model: the reasons are in the journal. */
export interface FailedPlace extends Omit<FailedWork, 'cause' | 'reasons'> {
  /** The journal key of the last attempt of a call. */
  readonly key?: string;
  /** Present, in our own words, if no call caused the failure. */
  readonly cause?: string;
}

/** A call without a usable answer, as workflows know it: its cause is in the store, under its journal key. */
export interface FailedCall {
  readonly kind: string;
  readonly key: string;
}

/** How one persona ended. */
export type PersonaOutcome =
  | { readonly persona: number; readonly state: 'finished' }
  | { readonly persona: number; readonly state: 'failed' }
  /** A key or a model name was rejected: the configuration is wrong, so the persona stays open. */
  | { readonly persona: number; readonly state: 'misconfigured'; readonly cause: FailedCall };
