import type { Client } from '@temporalio/client';
import { writeAdaptiveLimit } from '../../data/run/adaptive-limits';
import type { Store } from '../../data/store/store';
import type { RunEvent, RunListener } from '../../activities/run-events';
import type { PlannedCall } from '../../engine/limits/call-guard';
import { buildControlWorkflowId, buildLimitsWorkflowId } from '../../engine/journal/key';
import { formatModelName } from '../../schemas/model/model-spec';
import { OutdatedPlan } from '../../schemas/run/outdated-plan';
import { controlState, type ControlState } from '../../workflows/messages';
import { connectWithoutRetries, type Service } from '../../workers/server/connection';
import { reviveControl, reviveModelControl, type TaskQueues } from '../control/control';
import { Lease, type RunProcess } from './lease';

interface LeasesOptions extends Omit<RunProcess, 'client'>, TaskQueues {
  /** Store of the run. */
  readonly store: Store;
  readonly models: readonly string[];
}

/** Starts to report to the control workflows of a run and its models. */
export async function openLeases(service: Service, options: LeasesOptions): Promise<WorkerLeases> {
  return new WorkerLeases(await connectWithoutRetries(service), options);
}

/** Leases of this process: one for its run, and one for each model. */
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
      // It is found again if it cannot be stored.
      const storeLimit = (inFlight: number | undefined) =>
        void writeAdaptiveLimit(store, spec, inFlight).catch(() => undefined);
      return new Lease(process, { spec, workflowId: buildLimitsWorkflowId(spec), start, storeLimit });
    };
    this.#ofModels = new Map([...new Set(models)].map((spec) => [spec, leaseOf(spec)]));
  }

  guardsOf({ spec }: Pick<PlannedCall, 'spec'>): readonly [Lease, Lease] {
    const ofModel = this.#ofModels.get(spec);
    if (ofModel === undefined) throw new OutdatedPlan(`This worker does not call ${spec} yet.`);
    return [this.#ofRun, ofModel];
  }

  /**
   * Returns the number of calls that may be taken on now: those that may be in flight, a few more, and those that wait for their model or before
   * they are sent again.
   */
  capacity(): number {
    const { inFlight } = this.#ofRun;
    if (inFlight === 0) return 0;
    const sendable = [...this.#ofModels.values()].reduce((sum, lease) => sum + lease.sendable, 0);
    const maxInFlight = Math.min(inFlight + JOURNALED, sendable);
    // Calls that wait for one model must not block those to another.
    const waits = (call: PlannedCall) => this.#ofModels.get(call.spec)?.admits(call) === false;
    const blocked = this.#ofModels.size > 1 ? this.options.waiting(waits) : 0;
    return maxInFlight + Math.min(blocked + this.options.backingOff(), maxInFlight * 2);
  }

  /** Lists the names of leases that are missing or expired. */
  listExpired(): string[] {
    return [
      ...(this.#ofRun.isRenewed ? [] : ['the run']),
      ...[...this.#ofModels].flatMap(([spec, lease]) => (lease.isRenewed ? [] : [formatModelName(spec)])),
    ];
  }

  /** Reads the state of the run; undefined while its control workflow does not answer. */
  async readState(): Promise<ControlState | undefined> {
    const control = this.client.workflow.getHandle(buildControlWorkflowId(this.options.run));
    try {
      return await this.client.withDeadline(Date.now() + STATE_MS, () => control.query(controlState));
    } catch {
      return undefined;
    }
  }

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

/** Events that increase spending or demand. */
const USAGE_EVENTS: ReadonlySet<RunEvent['type']> = new Set(['waiting', 'sent', 'answered', 'failed']);

/** Shorter than the timeout of a metrics scrape. */
const STATE_MS = 3_000;

/** Calls answered from the journal, which need not wait behind those that are sent. */
const JOURNALED = 8;
