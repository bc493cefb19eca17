import { setTimeout as wait } from 'node:timers/promises';
import { WorkflowNotFoundError, type Client } from '@temporalio/client';
import type { UpdateDefinition } from '@temporalio/common';

/** A worker's standing conversation with a workflow. */
export interface Attending {
  /** Tells the workflow now, without waiting for it to answer what it was told before. */
  urge(): void;
  /** Tells a last time, if the workflow listens, and ends. */
  stop(): Promise<void>;
}

/**
 * Tells a workflow how the worker stands, takes its orders, and tells it again, for as long as the worker works. A workflow that is
 * not there, or a server that is away, is asked again.
 */
export function attending<Told, Orders>(options: {
  readonly client: Client;
  readonly workflowId: string;
  readonly update: UpdateDefinition<Orders, [Told]>;
  /** @param leaving true the last time */
  readonly tell: (leaving: boolean) => Told;
  /** Takes what was answered; returns how long to wait before telling again, in milliseconds. */
  readonly take: (orders: Orders) => number;
  /** What was told has not arrived. */
  readonly untold: (told: Told) => void;
  /** Sees to a workflow that is not there, or that has not answered for long. */
  readonly absent?: () => Promise<void>;
}): Attending {
  const { client, workflowId, update, tell, take, untold, absent } = options;
  const stopping = new AbortController();
  const stopped = new Promise<number>((resolve) => {
    stopping.signal.addEventListener('abort', () => resolve(0), { once: true });
  });
  let urging = false;
  const told = async (leaving: boolean): Promise<number> => {
    const telling = tell(leaving);
    const handle = client.workflow.getHandle(workflowId);
    try {
      return take(await inTime(handle.executeUpdate(update, { args: [telling] })));
    } catch (error) {
      untold(telling);
      // A server that is away is waited for; a workflow that is away is nobody's doing but ours.
      if (error instanceof WorkflowNotFoundError || error instanceof Unanswered)
        await absent?.().catch(() => undefined);
      return AGAIN;
    }
  };
  const conversation = (async () => {
    while (!stopping.signal.aborted) {
      const pause = await Promise.race([told(false), stopped]);
      if (pause > 0) await wait(pause, undefined, { signal: stopping.signal }).catch(() => undefined);
    }
  })();
  return {
    urge() {
      if (urging || stopping.signal.aborted) return;
      urging = true;
      void told(false).finally(() => (urging = false));
    },
    async stop() {
      stopping.abort();
      await conversation;
      await Promise.race([told(true), wait(LAST_WORD, undefined, { ref: false })]);
    },
  };
}

class Unanswered extends Error {
  override readonly name = 'Unanswered';
}

/** @throws Unanswered when an update takes far longer than any workflow keeps one waiting */
async function inTime<T>(update: Promise<T>): Promise<T> {
  const given = new AbortController();
  const late = wait(UNANSWERED, undefined, { signal: given.signal, ref: false }).then(() => {
    throw new Unanswered('The workflow does not answer.');
  });
  try {
    return await Promise.race([update, late]);
  } finally {
    late.catch(() => undefined);
    given.abort();
    // One that was given up on may still fail.
    update.catch(() => undefined);
  }
}

/** Milliseconds: an attendance is answered within twenty seconds, where a worker carries the workflow on. */
const UNANSWERED = 60_000;

/** Milliseconds before a workflow that did not answer is told again. */
const AGAIN = 500;

/** Milliseconds that a last word is given to arrive. */
const LAST_WORD = 2_000;
