import { setTimeout as wait } from 'node:timers/promises';
import { WorkflowNotFoundError, type Client } from '@temporalio/client';
import type { UpdateDefinition } from '@temporalio/common';

/** A worker's standing conversation with a workflow. */
export interface Attending {
  /** Tells the workflow now, without waiting for it to answer what it was told before, and is answered at once. */
  urge(): void;
  /** Tells a last time, if the workflow listens, and ends. */
  stop(): Promise<void>;
}

/**
 * Tells a workflow how the worker stands, takes its orders, and tells it again, for as long as the worker works. A workflow that is
 * not there, or a server that is away, is asked again.
 */
export function attending<Told extends { readonly known: number }, Orders>(options: {
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
  readonly absent: () => Promise<void>;
  /** Called when it has not answered for long, whoever's doing that is; again and again. */
  readonly unheard: (workflowId: string) => void;
}): Attending {
  const { client, workflowId, update, tell, take, untold, absent, unheard } = options;
  let answeredAt = performance.now();
  const stopping = new AbortController();
  // One for each telling: the client leaves a listener behind, with the whole call, on the signal that it is given.
  const underWay = new Set<AbortController>();
  let urging = false;
  let urgedAgain = false;
  const told = async (leaving: boolean, urgent = false): Promise<number> => {
    // Were an urge kept waiting for news, as whoever knows how things stand is, so would whatever is urged next.
    const telling = urgent ? { ...tell(leaving), known: 0 } : tell(leaving);
    const handle = client.workflow.getHandle(workflowId);
    const given = new AbortController();
    underWay.add(given);
    try {
      const orders = await inTime(
        client.withAbortSignal(given.signal, () => handle.executeUpdate(update, { args: [telling] })),
      );
      answeredAt = performance.now();
      return take(orders);
    } catch (error) {
      // It was told, and nobody waits for the answer any more.
      if (given.signal.aborted) return AGAIN;
      untold(telling);
      if (!leaving && performance.now() - answeredAt > UNHEARD) unheard(workflowId);
      // A server that is away is waited for; a workflow that is away is nobody's doing but ours.
      if (error instanceof WorkflowNotFoundError || error instanceof Unanswered)
        await absent().catch(() => undefined);
      return AGAIN;
    } finally {
      underWay.delete(given);
      // One that was given up on.
      given.abort();
    }
  };
  const converse = async () => {
    while (!stopping.signal.aborted) {
      const pause = await told(false);
      // Spread out: many who begin together are else always there together.
      const spread = pause * (0.75 + Math.random() / 2);
      if (pause > 0) await wait(spread, undefined, { signal: stopping.signal }).catch(() => undefined);
    }
  };
  void converse();
  const urge = () => {
    if (stopping.signal.aborted) return;
    // What is new since the one on its way was written would else wait for the next turn of the conversation.
    urgedAgain = urging;
    if (urging) return;
    urging = true;
    void told(false, true).finally(() => {
      urging = false;
      if (urgedAgain) urge();
    });
  };
  return {
    urge,
    async stop() {
      stopping.abort();
      await Promise.race([told(true), wait(LAST_WORD, undefined, { ref: false })]);
      // What still waits for news would keep the process for up to twenty seconds.
      for (const given of underWay) given.abort();
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
    throw new Unanswered('The workflow does not respond.');
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

/** Milliseconds without an answer after which somebody is told. */
const UNHEARD = 30_000;

/** Milliseconds: an attendance is answered within twenty seconds, where a worker carries the workflow on. */
const UNANSWERED = 60_000;

/** Milliseconds before a workflow that did not answer is told again. */
const AGAIN = 500;

/** Milliseconds that a last word is given to arrive. */
const LAST_WORD = 2_000;
