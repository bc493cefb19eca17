import * as z from 'zod';
import { replayedSessionSchema } from '../../schemas/dataset/replay';

/** A message to a memory system. Each is answered before the next one of the same user is sent. */
export const memoryMessageSchema = z.discriminatedUnion('type', [
  /** Forgets everything about the user, who may be unknown. */
  z.object({ type: z.literal('reset'), user: z.string() }),
  /** The same session may come again, marked, because a reply can be lost after the session was stored. */
  z.object({
    type: z.literal('add'),
    user: z.string(),
    session: replayedSessionSchema,
    repeated: z.literal(true).optional(),
  }),
  /** Asks for what is known about the user and helps to answer the request, in at most `budget` tokens. */
  z.object({
    type: z.literal('query'),
    user: z.string(),
    request: z.string(),
    budget: z.number().int().positive(),
  }),
  /** No message about the user follows. */
  z.object({ type: z.literal('close'), user: z.string() }),
]);
export type MemoryMessage = z.infer<typeof memoryMessageSchema>;

/** A reply, unchecked, and whether the memory system said that its work on the message goes on (HTTP status 202). */
export interface MemoryReply {
  readonly reply: unknown;
  readonly isUnfinished?: boolean;
}

/** The way in which messages reach a memory system. */
export interface Transport {
  /**
   * Sends a message and returns its reply. Gives up when the signal is aborted.
   * @throws MessageFailure
   */
  readonly send: (message: MemoryMessage, signal: AbortSignal) => Promise<MemoryReply>;
  /** Ends the program; absent for a server or a module. */
  readonly end?: () => void;
}

/**
 * The reply to any message if the memory system failed; with a wait, the message is sent again. An empty error is none, because many programs
 * write every field of a reply.
 */
export const failedReplySchema = z.object({
  error: z.string().regex(/\S/),
  // A wait that cannot be read, such as null, does not hide the error.
  retryAfterMs: z.number().nonnegative().optional().catch(undefined),
});

/** The reply to a query. Further fields are ignored, and so is everything in other replies. */
export const queryReplySchema = z.object({
  // A context that was cut within a character is usable, and its row can be stored.
  context: z.string().transform((text) => text.toWellFormed()),
  sessions: z
    .array(z.string())
    .nullish()
    .transform((ids) => ids ?? undefined),
});
