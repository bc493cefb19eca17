import type { Client } from '@temporalio/client';
import type { Store } from '../../data/store/store';
import type { RunEvent, RunListener } from '../../activities/run-events';
import type { PlannedCall } from '../../engine/limits/call-guard';
import { buildControlWorkflowId, buildLimitsWorkflowId } from '../../engine/journal/key';
import { formatModelName } from '../../schemas/model/model-spec';
import { OutdatedPlan } from '../../schemas/run/outdated-plan';
import { controlState, type ControlState } from '../../workflows/messages';
import { connectTo, createClient, type Service } from '../../workers/server/connection';
import { reviveControl, reviveModelControl, type TaskQueues } from '../control/control';
import { Lease, type RunProcess } from './lease';

interface LeasesOptions extends Omit<RunProcess, 'client'>, TaskQueues {
  /** Of the run. */
  readonly store: Store;
  readonly models: readonly string[];
}

/** Begins to report to the workflows that control a run and its models. */
export async function openLeases(service: Service, options: LeasesOptions): Promise<WorkerLeases> {
  // Without the client's own retries: everything here is reported again anyway.
  const connection = await connectTo({ ...service.connection, interceptors: [] });
  return new WorkerLeases(createClient(connection, service), options);
}

/** This process's leases: one of its run, and one of each model. */
export class WorkerLeases {
  readonly #ofRun: Lease;
  readonly #ofModels: ReadonlyMap<string, Lease>;
  #stopped: Promise<void> | undefined;

  constructor(
    private readonly client: Client,
    private readonly options: LeasesOptions,
  ) {
    const { run, store, models, limitsQueue } = options;
    const process = { ...options, client };
    this.#ofRun = new Lease(process, {
      workflowId: buildControlWorkflowId(run),
      start: () => reviveControl(client, store, options),
    });
    const leaseOf = (spec: string) => {
      const start = () => reviveModelControl(client, store, spec, limitsQueue);
      return new Lease(process, { spec, workflowId: buildLimitsWorkflowId(spec), start });
    };
    this.#ofModels = new Map([...new Set(models)].map((spec) => [spec, leaseOf(spec)]));
  }

  guardsOf({ spec }: Pick<PlannedCall, 'spec'>): readonly [Lease, Lease] {
    const ofModel = this.#ofModels.get(spec);
    if (ofModel === undefined) throw new OutdatedPlan(`This worker does not call ${spec} yet.`);
    return [this.#ofRun, ofModel];
  }

  /** Calls that may be taken on now: those that may be in flight, a few more, and those that wait for their model. */
  capacity(): number {
    const { inFlight } = this.#ofRun;
    if (inFlight === 0) return 0;
    const sendable = [...this.#ofModels.values()].reduce((sum, lease) => sum + lease.sendable, 0);
    const most = Math.min(inFlight + JOURNALED, sendable);
    // One model's calls that wait for it must not keep those to another from being sent.
    const waits = (call: PlannedCall) => this.#ofModels.get(call.spec)?.admits(call) === false;
    const blocked = this.#ofModels.size > 1 ? this.options.waiting(waits) : 0;
    return most + Math.min(blocked, most * 2);
  }

  /** What has not been leased, or not been renewed in time; by name, none when all is. */
  listExpired(): string[] {
    return [
      ...(this.#ofRun.isRenewed ? [] : ['the run']),
      ...[...this.#ofModels].flatMap(([spec, lease]) => (lease.isRenewed ? [] : [formatModelName(spec)])),
    ];
  }

  /** How the run stands; undefined while its control workflow does not answer. */
  async readState(): Promise<ControlState | undefined> {
    const control = this.client.workflow.getHandle(buildControlWorkflowId(this.options.run));
    try {
      return await this.client.withDeadline(Date.now() + STATE_MS, () => control.query(controlState));
    } catch {
      return undefined;
    }
  }

  /** Follows the calls of the run. */
  readonly follow: RunListener = (event) => {
    if (event.type === 'admitted' || event.type === 'released') {
      for (const lease of this.guardsOf(event.call)) lease.count(event);
    } else if (USAGE_EVENTS.has(event.type)) this.#ofRun.usageChanged();
  };

  /** Reports a last time, and ends the leases. */
  stop(): Promise<void> {
    return (this.#stopped ??= this.#stop());
  }

  async #stop(): Promise<void> {
    await Promise.all([this.#ofRun, ...this.#ofModels.values()].map((lease) => lease.stop()));
    await this.client.connection.close();
  }
}

/** Events by which more is spent, or more is wanted. */
const USAGE_EVENTS: ReadonlySet<RunEvent['type']> = new Set(['waiting', 'sent', 'answered', 'failed']);

/** Less than the time that a scrape of metrics waits. */
const STATE_MS = 3_000;

/** Answers that the journal has need not wait behind those that are asked for. */
const JOURNALED = 8;
