import { z } from 'zod';
import type { ContextFactor } from '../dataset/factor';
import type { JournalEntry } from './journal';
import type { PersonaDescription } from '../dataset/persona';
import type { PlannedSession } from '../dataset/session';
import type { Step } from './step';

/** What a workflow reports of its calls, to traces and, while it is replayed, to a replay; in the order in which it did so. */
export type TranscriptEvent =
  | {
      readonly event: 'asked';
      readonly key: string;
      /** Of a dialogue's call: a persona's dialogues report side by side. */
      readonly session?: number;
      readonly step: Step;
      readonly turn: number | string;
      readonly revision: number;
      readonly ask: number;
    }
  | {
      readonly event: 'answered';
      readonly key: string;
      /** The key that the answer came under: another one when two calls were swapped. */
      readonly under: string;
      readonly ok: boolean;
      /** What is wrong with it, or in doubt. */
      readonly problem?: string;
    }
  /** The call ended without an answer that could be judged. */
  | { readonly event: 'unanswered'; readonly key: string; readonly kind: string; readonly cause: string }
  /** This is the answer that counts. */
  | { readonly event: 'accepted'; readonly key: string }
  /** No answer was given: the work fails. */
  | {
      readonly event: 'failed';
      readonly session?: number;
      readonly step: Step;
      readonly kind: string;
      readonly cause: string;
    }
  /** The dialogue came to its end. */
  | { readonly event: 'completed'; readonly session: number }
  /** The workflow ended: by itself, or by an error. */
  | { readonly event: 'ended'; readonly failed: boolean };

/** `revision.ask`, as `buildAnswerRef` writes it. */
const refSchema = z.string().regex(/^\d+\.\d+$/);

/** What a persona's workflow was started with, as far as it says what it is about. */
export const recordedInputSchema = z.object({
  persona: z.number().int().positive(),
  described: z.object({ first: z.number().int(), count: z.number().int(), ref: refSchema }),
});
export type RecordedInput = z.infer<typeof recordedInputSchema>;

/** What a run, a persona or a dialogue asked, joined with the journal: what was asked, answered, and made of it. */
export interface Transcript {
  readonly about: TranscriptSubject;
  readonly questions: readonly TranscriptQuestion[];
}

/** As far as the recording says. */
export interface TranscriptSubject {
  readonly persona?: { readonly number: number; readonly occupation?: string; readonly description?: string };
  readonly session?: {
    readonly number: number;
    readonly context_factor: string;
    readonly preference: string;
    readonly checklist: readonly string[];
    /** The user's first message. */
    readonly opening: string;
  };
}

/** One call of a step, with every time it was asked. */
export interface TranscriptQuestion {
  readonly step: Step;
  readonly turn: number | string;
  readonly revision: number;
  readonly asks: readonly TranscriptAsk[];
  /** What the answer that counts says; absent while there is none. */
  readonly said?: TranscriptMessage;
}

export interface TranscriptAsk {
  readonly key: string;
  readonly ask: number;
  /**
   * `used`: the answer counts. `doubted`: usable, and asked for once more. `bad`: broke its rules. `unanswered`: nothing that could
   * be judged. `other`: it is the answer of another call. `open`: the recording ends before its answer.
   */
  readonly verdict: 'used' | 'doubted' | 'bad' | 'unanswered' | 'other' | 'open';
  /** What is wrong with the answer, or why there is none. */
  readonly problem?: string;
  /** As the journal has it; absent when it has none, or when that one is damaged. */
  readonly entry?: JournalEntry;
  /** How the journal's answer differs from the history's, by which the workflow went; or how its entry is damaged. */
  readonly conflict?: string;
}

export type TranscriptMessage =
  | { readonly form: 'message'; readonly message: string }
  | {
      readonly form: 'user turn';
      readonly score: number;
      readonly decision: 'CONTINUE' | 'END';
      /** The checklist items it raised, as it wrote them. */
      readonly raised: string;
      readonly message: string;
    }
  | { readonly form: 'factors'; readonly factors: readonly ContextFactor[] }
  | { readonly form: 'sessions'; readonly sessions: readonly PlannedSession[] }
  | { readonly form: 'checklist'; readonly items: readonly string[] }
  | { readonly form: 'descriptions'; readonly personas: readonly PersonaDescription[] };
