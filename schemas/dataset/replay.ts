import * as z from 'zod';
import { replayedSessionSchema } from '../evaluation/memory';
import { SPLITS } from './split';

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
  contrasting: z.array(z.string()),
  /** Null if the data set lacks the other row. */
  pair: z.string().nullable(),
});
export type LabelRow = z.infer<typeof labelRowSchema>;
