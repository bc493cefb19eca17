import {
  allHandlersFinished,
  condition,
  continueAsNew,
  getExternalWorkflowHandle,
  setHandler,
  workflowInfo,
} from '@temporalio/workflow';
import { buildLimitsWorkflowId } from '../../engine/journal/key';
import { LEASE_MS, Leases, type Amounts, type LeasesState } from '../../engine/limits/leases';
import type { SteeringRequest } from '../../engine/limits/steering';
import {
  controlState,
  endControl,
  ledgersChanged,
  modelState,
  newsVersion,
  report,
  setLimits,
  steer,
  steerLater,
  type WorkerReport,
} from '../messages';
import { ModelControl, type ModelControlInput } from './model-control';
import { controlActivities } from '../options';
import { RunControl, type RunControlInput } from './run-control';

/** The subject of a control: a run (money, calls in flight, pauses), or a model (its limits over all runs of an engine). */
export type ControlInput = ({ readonly run: RunControlInput } | { readonly model: ModelControlInput }) & {
  /** Absent if nothing is leased yet. */
  readonly leases?: LeasesState<WorkerReport>;
  /** Set if leases of a predecessor may still be in use: nothing more is granted until they have expired. */
  readonly replaces?: true;
};

/**
 * Controls a run or a model: leases limits to the workers that report, and gives them directives. Any version serves workers of all versions. If
 * it does not answer, a worker replaces it; the new one grants nothing until the old leases have expired. All its state can be read again:
 * steering from the store, spending from the ledger. The control of a run ends with the run; that of a model a while after its last worker.
 */
export async function control(input: ControlInput): Promise<void> {
  const startMs = Date.now();
  const leases = new Leases(input.leases, input.replaces === true ? startMs + LEASE_MS : startMs);
  const subject =
    'run' in input
      ? new RunControl(input.run, leases, startMs)
      : new ModelControl(input.model, leases, startMs);
  let over = false;

  setHandler(report, (request) => {
    const nowMs = Date.now();
    if (!leases.isOutdated(request)) subject.take(request, nowMs);
    const directives = subject.directives(request, nowMs);
    const grants: { -readonly [R in keyof Amounts]: number | undefined } = { ...directives.grants };
    let changesHands = false;
    for (const resource of ['inFlight', 'requests', 'tokens'] as const) {
      const limit = subject.limits[resource];
      if (limit === undefined) continue;
      grants[resource] = leases.grant(request.worker, resource, limit, nowMs);
      changesHands ||= leases.changesHands(request.worker, resource, limit);
    }
    const workers = leases.members.length;
    const answer = {
      ...directives,
      version: subject.version,
      grants,
      reportIntervalMs: Math.max(changesHands ? HANDOVER_INTERVAL_MS : INTERVAL_MS, workers * 100),
      queryIntervalMs: Math.max(QUERY_INTERVAL_MS, workers * 100),
    };
    if (request.isLast === true) subject.end(request.worker, nowMs);
    return answer;
  });

  setHandler(newsVersion, () => subject.version);
  if (subject instanceof RunControl) handleSteering(subject, () => void (over = true));
  else {
    setHandler(setLimits, (limits) => subject.setLimits(limits));
    setHandler(modelState, () => subject.state(Date.now()));
  }

  for (;;) {
    for (const worker of leases.expired(Date.now())) {
      if (!(subject instanceof RunControl)) {
        subject.end(worker, Date.now());
        continue;
      }
      const living = subject.living.filter((id) => id !== worker);
      const read = await readSettled(subject, living);
      // It may have reported in the meantime.
      if (!leases.expired(Date.now()).includes(worker)) continue;
      subject.end(worker, Date.now());
      subject.settleRead(living, read);
    }
    if (workflowInfo().continueAsNewSuggested) {
      await condition(allHandlersFinished);
      await continueAsNew<typeof control>({ ...subject.input, leases: leases.state });
    }
    const due = () => over || workflowInfo().continueAsNewSuggested || leases.expired(Date.now()).length > 0;
    const isIdle = leases.members.length === 0;
    // A timer is always set. If the first workflow task issued no command, a worker that takes over would replay it together with the second one.
    // It would then handle the updates of the second in another order than recorded (test/engine/workflows/synthesis/takeover.test.ts).
    const woken = await condition(
      () => due() || (isIdle && leases.members.length > 0),
      isIdle ? IDLE_MS : LEASE_MS + 1_000,
    );
    // A model without workers needs no control; the next run that asks it starts it again.
    if (over || (isIdle && !woken && subject instanceof ModelControl)) break;
  }
  await condition(allHandlersFinished);
}

function handleSteering(subject: RunControl, end: () => void): void {
  const { run } = subject.input.run;
  let lastChange: Promise<void> = Promise.resolve();
  const settle = async () => {
    const { living } = subject;
    subject.settleRead(living, await readSettled(subject, living));
  };
  const keep = async (change: SteeringRequest) => {
    await controlActivities.keepSteering({ run, steering: subject.steering });
    if (change.modelTable !== undefined) await settle();
  };
  setHandler(controlState, () => subject.state(Date.now()));
  setHandler(endControl, end);
  setHandler(ledgersChanged, settle);
  setHandler(
    steer,
    async (change) => {
      subject.steer(change);
      // In sequence, so that the last change is stored last.
      lastChange = lastChange.then(() => keep(change));
      await lastChange;
      await passLimits(change);
      return subject.state(Date.now());
    },
    {
      validator: (change) => {
        const reason = subject.refusal(change);
        if (reason !== undefined) throw new Error(reason);
      },
    },
  );
  setHandler(steerLater, async (change) => {
    subject.steer(change);
    if (change.modelTable !== undefined) await settle();
    // If the control of a model has ended, its next start reads the limits from the store.
    await passLimits(change).catch(() => undefined);
  });
}

/** Passes changed limits on to the controls of their models. */
async function passLimits({ limits = {} }: SteeringRequest): Promise<void> {
  for (const [spec, ofModel] of Object.entries(limits)) {
    await getExternalWorkflowHandle(buildLimitsWorkflowId(spec)).signal(setLimits, ofModel);
  }
}

/** Time between two reports. Urgent changes are found by queries, which do not grow the history. */
const INTERVAL_MS = 12_000;

/** Time between two reports while one worker waits for the leases of another. */
const HANDOVER_INTERVAL_MS = 2_000;

const QUERY_INTERVAL_MS = 2_500;

/** Milliseconds without any worker after which the control of a model ends. */
const IDLE_MS = 120_000;

/** Reads the spending of a run's departed workers; the living ones report their own. */
function readSettled({ input }: RunControl, living: string[]): Promise<RunControlInput['departedSpending']> {
  return controlActivities.settleWorkers({ run: input.run.run, living });
}
