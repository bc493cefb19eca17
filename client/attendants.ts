import { Client } from '@temporalio/client';
import type { RunKind } from '../schemas/run';
import type { ModelLimits } from '../schemas/steering';
import type { Orders } from '../workflows/messages';
import { connectTo } from './connection';
import type { Service } from './drive';
import { reviveLimits } from './limits';
import { ModelAttendant } from './model-attendant';
import { RunAttendant, type SentForRun } from './run-attendant';

export type { Orders };

/** Those who attend, for this process, the workflows that steer a run and limit its models. */
export interface Attendants extends AsyncDisposable {
  /** Who has a say in whether a call is sent. */
  readonly guardsOf: (call: { readonly spec: string }) => readonly [RunAttendant, ModelAttendant];
  /** Calls to a model that may be taken on at once: some more than may be in flight, unless they are paced. */
  readonly capacity: (spec: string) => number;
  readonly ledgerChanged: () => void;
  /** Says goodbye, and what was spent. */
  readonly stop: () => Promise<void>;
}

/** Begins to attend the workflows that steer a run and limit its models. */
export async function openAttendants(
  service: Service,
  options: {
    readonly run: string;
    readonly kind: RunKind;
    /** The task queue of the workflows that limit models. */
    readonly limitsQueue: string;
    /** The limits that the run wants a model to have. */
    readonly limitsOf: (spec: string) => Promise<ModelLimits | undefined>;
    readonly worker: string;
    readonly models: readonly string[];
    readonly concurrency: number;
    readonly ledger: SentForRun;
    /** How many calls wait to be sent, all or those to one model. */
    readonly waiting: (spec?: string) => number;
    /** Starts the control workflow again, if it is gone. */
    readonly revive: (client: Client) => Promise<void>;
    /** Called when a workflow has not answered for long. */
    readonly unheard: (workflowId: string) => void;
    /** Called when calls may be sent that might not before. */
    readonly changed: () => void;
    readonly told: (orders: Orders) => void;
  },
): Promise<Attendants> {
  const { run, kind, limitsQueue, limitsOf, worker, concurrency, ledger, waiting, changed, told, unheard } =
    options;
  // Without the client's own retries: everything here is told again anyway.
  const connection = await connectTo({ ...service.connection, interceptors: [] });
  const client = new Client({ connection, namespace: service.namespace });
  const revive = () => options.revive(client);
  const ofRun = new RunAttendant({
    revive,
    unheard,
    client,
    run,
    worker,
    concurrency,
    ledger,
    waiting,
    changed,
    told,
  });
  const ofModels = new Map(
    [...new Set(options.models)].map((spec) => {
      const attendant = new ModelAttendant({
        client,
        run,
        kind,
        spec,
        unheard,
        start: async () => reviveLimits(client, spec, limitsQueue, await limitsOf(spec)),
        worker,
        waiting: () => waiting(spec),
        changed,
      });
      return [spec, attendant] as const;
    }),
  );
  const ofModel = (spec: string): ModelAttendant => {
    const attendant = ofModels.get(spec);
    if (attendant === undefined) throw new Error(`This worker does not call ${spec}.`);
    return attendant;
  };
  const stop = async () => {
    await Promise.all([ofRun, ...ofModels.values()].map((attendant) => attendant.stop()));
    await connection.close();
  };
  let stopped: Promise<void> | undefined;
  return {
    guardsOf: ({ spec }) => [ofRun, ofModel(spec)],
    capacity(spec) {
      const inFlight = Math.min(ofRun.concurrency, ofModel(spec).inFlight);
      // Answers that the journal has need not wait behind those that are asked for.
      return inFlight === 0 || ofModel(spec).paced ? inFlight : inFlight + 8;
    },
    ledgerChanged: () => ofRun.ledgerChanged(),
    stop: () => (stopped ??= stop()),
    [Symbol.asyncDispose]: () => (stopped ??= stop()),
  };
}
