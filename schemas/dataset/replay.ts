import * as z from 'zod';
import { messageSchema } from './message';
import { SPLITS } from './split';

const replayedMessageSchema = messageSchema.extend({ id: z.string() });

/** A session as a memory system receives it: its messages, and nothing that labels them. */
export const replayedSessionSchema = z.strictObject({
  /** `s1` for the first. */
  id: z.string(),
  messages: z.array(replayedMessageSchema),
});
export type ReplayedSession = z.infer<typeof replayedSessionSchema>;

/** Row of `sessions.jsonl` of `--format memory`: all that a memory system may read of an instance. */
export const replayRowSchema = z.object({
  id: z.string(),
  persona: z.string(),
  split: z.enum(SPLITS),
  sessions: z.array(replayedSessionSchema),
  request: z.string(),
});
export type ReplayRow = z.infer<typeof replayRowSchema>;

/** Row of `labels.jsonl` of `--format memory`: what the answers of a memory system are compared with. */
export const labelRowSchema = z.object({
  id: z.string(),
  persona_id: z.string(),
  instance_type: z.string(),
  context_factor: z.string(),
  preference: z.string(),
  checklist: z.array(z.string()),
  evidence: z.array(z.string()),
  stale: z.array(z.string()),
  contrastive: z.array(z.string()),
  /** Null if the data set lacks the other row. */
  pair: z.string().nullable(),
});
export type LabelRow = z.infer<typeof labelRowSchema>;
