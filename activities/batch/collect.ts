import { randomUUID } from 'node:crypto';
import { ApplicationFailure, Context } from '@temporalio/activity';
import { createBatch, readBatches } from '../../data/run/batches';
import type { Batch, BatchCall } from '../../schemas/run/batch';
import { omitUndefined } from '../../schemas/omit-undefined';
import type { Attempt } from '../../rules/method/script';
import type { CallRequest, RunFiles, World } from '../world';

/** Open batches, which wait to be sent or answered. */
export interface BatchRound {
  readonly batches: readonly { readonly number: number; readonly requests: number }[];
}

/**
 * Collects the calls that can be made now into batches, which are stored and not sent yet. Work proceeds as usual, up to its first calls
 * without an answer. Calls to models without batches, and calls that a batch left unanswered, are sent one by one meanwhile. Returns the
 * open batches, if there are any.
 * @param workOf returns the remaining work, in a world that collects
 */
export async function collectCalls<Files extends RunFiles>(
  world: World<Files>,
  workOf: (world: World<Files>) => AsyncIterable<() => Promise<unknown>>,
): Promise<BatchRound> {
  const { store } = world.run;
  const allBatches = await readBatches(store);
  const open = allBatches.filter(({ end }) => end === undefined);
  if (open.length > 0) return { batches: open.map(pickSize) };
  const left = new Set(allBatches.flatMap(({ end }) => end?.unansweredKeys ?? []));
  const collection = new Collection(world, (allBatches.at(-1)?.number ?? 0) + 1);
  const collecting: World<Files> = {
    ...world,
    collect: async (call) => !left.has(call.key) && (await collection.add(call)),
    emit: (event) => {
      if (event.type !== 'found') world.emit(event);
    },
  };
  const failure = await workSideBySide(workOf(collecting));
  const batches = await collection.close();
  // Failed single calls are tried again in the next round.
  if (batches.length === 0 && failure !== undefined) throw failure.reason;
  return { batches };
}

/** Runs work, some of it concurrently. Returns the first retryable failure, if there is one. */
async function workSideBySide(
  work: AsyncIterable<() => Promise<unknown>>,
): Promise<{ readonly reason: unknown } | undefined> {
  let failure: { readonly reason: unknown } | undefined;
  const open = new Set<Promise<void>>();
  for await (const begin of work) {
    if (Context.current().cancellationSignal.aborted) break;
    const piece: Promise<void> = begin()
      .then(
        () => undefined,
        (reason: unknown) => void (failure ??= { reason }),
      )
      .finally(() => open.delete(piece));
    open.add(piece);
    if (open.size >= AT_ONCE) await Promise.race(open);
  }
  await Promise.all(open);
  if (Context.current().cancellationSignal.aborted) {
    throw ApplicationFailure.retryable('The activity was cancelled while it collected calls.', 'cancelled');
  }
  return failure;
}

/** Options for collecting the calls of a script: from its beginning, without a time limit, up to repairs. These follow after the last round. */
export const COLLECTING = { known: {}, aheadMs: Number.POSITIVE_INFINITY, isOwn: isFirstAttempt };

export function isFirstAttempt({ number }: Attempt): boolean {
  return number === 0;
}

/** Number of pieces of work collected from concurrently; as many as calls in flight suffice for the single calls. */
const AT_ONCE = 64;

interface BatchGroup {
  readonly number: number;
  readonly id: string;
  readonly first: CallRequest;
  readonly calls: BatchCall[];
  readonly requests: string[];
  bytes: number;
}

/** Calls by model and step, in batches that are stored as soon as they are full. */
class Collection {
  readonly #groups = new Map<string, BatchGroup>();
  readonly #batches: BatchRound['batches'][number][] = [];
  #kept: Promise<void> = Promise.resolve();

  constructor(
    private readonly world: World,
    private next: number,
  ) {}

  /** Adds a call; false if its model takes no batches. */
  async add(call: CallRequest): Promise<boolean> {
    const model = await this.world.batches(call.spec);
    if (model === undefined) return false;
    const place = `${call.step} ${call.spec}`;
    const group = this.#groups.get(place) ?? this.#begin(call);
    const number = group.calls.length + 1;
    const request = model.render(buildCustomId(group.id, number), call.asked, call.sending);
    const { key, request: hash, settings, estimate } = call;
    const { maxTokens, temperature, reasoningEffort } = call.asked;
    const parameters = omitUndefined({ maxTokens, temperature, reasoningEffort });
    group.calls.push({ number, key, request: hash, settings, ...parameters, estimate });
    group.requests.push(request);
    group.bytes += Buffer.byteLength(request) + 1;
    this.#groups.set(place, group);
    const isFull =
      number >= Math.min(MOST_REQUESTS, model.most.requests) ||
      group.bytes >= Math.min(MOST_BYTES, model.most.bytes / 2);
    if (isFull) this.#keep(place, group);
    return true;
  }

  /** Stores the remaining calls. Returns all stored batches. */
  async close(): Promise<BatchRound['batches']> {
    for (const [place, group] of this.#groups) this.#keep(place, group);
    await this.#kept;
    return this.#batches;
  }

  #begin(first: CallRequest): BatchGroup {
    const number = this.next;
    this.next += 1;
    // Unique, because the number of a batch whose folder was removed is used again.
    const unique = randomUUID().slice(0, 6);
    const id = `${this.world.run.id.replaceAll(/[^\w-]/g, '_').slice(0, 26)}-b${number}-${unique}`;
    return { number, id, first, calls: [], requests: [], bytes: 0 };
  }

  #keep(place: string, { number, id, first, calls, requests }: BatchGroup): void {
    this.#groups.delete(place);
    const { spec, step } = first;
    const batch = { number, id, spec, step, requests: calls.length, estimate: sumEstimates(calls) };
    this.#batches.push(pickSize(batch));
    this.#kept = this.#kept.then(() => createBatch(this.world.run.store, batch, calls, requests));
    // `close` throws the error.
    this.#kept.catch(() => undefined);
  }
}

/** A batch is in memory while it is collected, and again while it is sent. If a provider rejects one, smaller batches also lose less. */
const MOST_BYTES = 32_000_000;
const MOST_REQUESTS = 10_000;

/** Builds the id of a request in its batch: at most 64 of `A-Za-z0-9_-`, as Anthropic requires. */
export function buildCustomId(batch: string, number: number): string {
  return `${batch}-${number}`;
}

function pickSize({ number, requests }: Pick<Batch, 'number' | 'requests'>) {
  return { number, requests };
}

function sumEstimates(calls: readonly BatchCall[]): Batch['estimate'] {
  return calls.reduce(
    (sum, { estimate }) => ({
      input: sum.input + estimate.input,
      output: sum.output + estimate.output,
    }),
    { input: 0, output: 0 },
  );
}
