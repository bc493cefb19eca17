import { z } from 'zod';
import { STEPS, type Step } from './step';

/** Work that could not be done, as `failures/` keeps it: what, where and why. */
export const failedWorkSchema = z.object({
  /** The id of the work that failed: a persona or a dialogue. */
  workflowId: z.string(),
  /** The persona's number. */
  persona: z.number().int().positive(),
  /** The session whose dialogue failed; absent when the persona failed before its dialogues. */
  session: z.number().int().positive().optional(),
  step: z.enum(STEPS).optional(),
  turn: z.number().int().nonnegative().optional(),
  /** `bad-answers`, a ModelError kind, or `unexpected`. */
  kind: z.string(),
  cause: z.string(),
  /** What was wrong with each answer, in the order they were asked for. */
  reasons: z.array(z.string()),
  /** How often its persona's work had been restarted; absent for never. */
  generation: z.number().int().positive().optional(),
});
export type FailedWork = z.infer<typeof failedWorkSchema>;

/** A call that gave no usable answer, as the failure of its workflow carries it. */
export interface FailedCall extends Pick<FailedWork, 'workflowId' | 'kind' | 'cause' | 'reasons'> {
  /** Of a call of synthesis: its persona, and its session where it belongs to one. */
  readonly persona?: number;
  readonly session?: number;
  readonly step: Step;
  readonly turn: number | string;
}

/** How one persona ended. */
export type PersonaOutcome =
  | { readonly persona: number; readonly state: 'finished' }
  | { readonly persona: number; readonly state: 'failed'; readonly cause: string }
  /** A key or a model name was rejected: the configuration is wrong, so the persona stays open. */
  | { readonly persona: number; readonly state: 'misconfigured'; readonly cause: string };
