import * as z from 'zod';
import type { ReplayedSession } from '../../schemas/dataset/replay';

/** A message to a memory system. Each is answered before the next one of the same user is sent. */
export type MemoryMessage =
  /** Forgets everything about the user, who may be unknown. */
  | { readonly type: 'reset'; readonly user: string }
  /** The same session may come again, marked, because a reply can be lost after the session was stored. */
  | {
      readonly type: 'add';
      readonly user: string;
      readonly session: ReplayedSession;
      readonly repeated?: true;
    }
  /** Asks for what is known about the user and helps to answer the request, in at most `budget` tokens. */
  | {
      readonly type: 'query';
      readonly user: string;
      readonly request: string;
      readonly budget: number;
    }
  /** No message about the user follows. */
  | { readonly type: 'close'; readonly user: string };

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
