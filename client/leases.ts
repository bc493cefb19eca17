import { Client } from '@temporalio/client';
import type { Store } from '../data/store';
import type { PlannedCall } from '../rules/call-guard';
import { controlWorkflowId, limitsWorkflowId } from '../rules/journal-key';
import type { RunKind } from '../schemas/run';
import type { Directives } from '../workflows/messages';
import { connectTo } from './connection';
import { reviveControl, reviveModelControl } from './control';
import type { Service } from './drive';
import { Lease, type RunActivity } from './lease';

export type { Directives };

/** This process's leases: one of its run, and one of each model. */
export interface WorkerLeases extends AsyncDisposable {
  /** The guards of a call. */
  readonly guardsOf: (call: Pick<PlannedCall, 'spec'>) => readonly [Lease, Lease];
  /** Calls that may be taken on now: those that may be in flight, a few more, and those that wait for their model. */
  readonly capacity: () => number;
  /** To be called when something was spent. */
  readonly usageChanged: () => void;
  /** Reports a last time, and ends the leases. */
  readonly stop: () => Promise<void>;
}

export interface LeasesOptions {
  readonly run: string;
  readonly kind: RunKind;
  /** The task queue of the workflows that control models. */
  readonly limitsQueue: string;
  /** Of the run. */
  readonly store: Store;
  readonly worker: string;
  readonly models: readonly string[];
  readonly concurrency: number;
  readonly activity: () => RunActivity;
  /** The calls that wait to be sent. */
  readonly waiting: (of: (call: PlannedCall) => boolean) => number;
  readonly onUnresponsive: (workflowId: string) => void;
  readonly onChange: () => void;
  readonly onDirectives: (directives: Directives) => void;
}

/** Begins to report to the workflows that control a run and its models. */
export async function openLeases(service: Service, options: LeasesOptions): Promise<WorkerLeases> {
  const { run, kind, worker, store, models, limitsQueue, waiting, onUnresponsive, onChange } = options;
  // Without the client's own retries: everything here is reported again anyway.
  const connection = await connectTo({ ...service.connection, interceptors: [] });
  const client = new Client({ connection, namespace: service.namespace });
  const common = { client, worker, run, kind, onUnresponsive, onChange };
  const ofRun = new Lease({
    ...common,
    workflowId: controlWorkflowId(run),
    start: () => reviveControl(client, store, run, models),
    ofRun: { concurrency: options.concurrency, activity: options.activity },
    waiting: () => waiting(() => true),
    onDirectives: options.onDirectives,
  });
  const ofModels = new Map(
    [...new Set(models)].map((spec) => {
      const lease = new Lease({
        ...common,
        workflowId: limitsWorkflowId(spec),
        start: () => reviveModelControl(client, store, spec, limitsQueue),
        waiting: () => waiting((call) => call.spec === spec),
      });
      return [spec, lease] as const;
    }),
  );
  const ofModel = (spec: string): Lease => {
    const lease = ofModels.get(spec);
    if (lease === undefined) throw new Error(`This worker does not call ${spec}.`);
    return lease;
  };
  const stop = async () => {
    await Promise.all([ofRun, ...ofModels.values()].map((lease) => lease.stop()));
    await connection.close();
  };
  let stopped: Promise<void> | undefined;
  return {
    guardsOf: ({ spec }) => [ofRun, ofModel(spec)],
    capacity() {
      const { inFlight } = ofRun;
      if (inFlight === 0) return 0;
      const sendable = [...ofModels.values()].reduce((sum, lease) => sum + lease.sendable, 0);
      const most = Math.min(inFlight + JOURNALED, sendable);
      // One model's calls that wait for it must not keep those to another from being sent.
      const blocked = ofModels.size > 1 ? waiting((call) => !ofModel(call.spec).admits(call)) : 0;
      return most + Math.min(blocked, most * 2);
    },
    usageChanged: () => ofRun.usageChanged(),
    stop: () => (stopped ??= stop()),
    [Symbol.asyncDispose]: () => (stopped ??= stop()),
  };
}

/** Answers that the journal has need not wait behind those that are asked for. */
const JOURNALED = 8;
