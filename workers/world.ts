import { buildEvaluationActivities, buildSynthesisActivities, type RunActivities } from '../activities';
import { CallGate } from '../activities/call-gate';
import type { EvaluationFiles } from '../activities/evaluation/inputs';
import type { SynthesisFiles } from '../activities/synthesis/inputs';
import { FlexCapacity } from '../activities/flex-capacity';
import { RunEvents } from '../activities/run-events';
import type { RunFiles, World } from '../activities/world';
import { openEvaluation } from '../data/run/evaluation-plan';
import { readPlan } from '../data/run/inputs';
import { openJournal } from '../data/run/journal';
import type { Store } from '../data/store/store';
import { ModelError } from '../models/errors/error';
import type { Knowledge } from '../models/adapting-model';
import { createBatchModel, type BatchApi } from '../models/batches/batch';
import { openBatches, openModel } from '../models/open';
import { answersCheck, listUsesToCheck } from './model-check';
import { createWorkerName, RunLedger } from '../activities/run-ledger';
import { parseModelSpec, type ModelSpec } from '../schemas/model/model-spec';
import type { TierSteering } from '../schemas/run/steering';

/** Opens the path of all calls of a run in this process: the gate, then the ledger. Both add to the stream of the run's events. */
export function openCalls(store: Store) {
  const worker = createWorkerName();
  const events = new RunEvents();
  const ledger = new RunLedger(store, worker, events);
  const end = new AbortController();
  return {
    worker,
    events,
    gate: new CallGate(events),
    ledger,
    ended: end.signal,
    [Symbol.dispose]() {
      end.abort();
      ledger[Symbol.dispose]();
    },
  };
}

/** Inputs of a world, of which a process has one for each run. */
interface WorldOptions<Files extends RunFiles> extends Pick<
  World<Files>,
  'run' | 'gate' | 'capacity' | 'guardsOf' | 'ledger' | 'emit'
> {
  /** SPECs that may be called. Someone else may have scheduled others on a folder's engine. */
  readonly mayAsk: ReadonlySet<string>;
  readonly knowledge: (spec: string) => Knowledge;
  /** Current tiers. */
  readonly tiers: () => TierSteering;
  readonly environment: NodeJS.ProcessEnv;
  /** Aborted when this process leaves the run: no call follows. */
  readonly ended: AbortSignal;
  /** Maximum duration of a message to the run's memory system; undefined for the usual one. */
  readonly memoryTimeoutMs?: number | undefined;
}

/** Opens the world of one run's activities: its store and models, and the gate that all its model calls pass. */
export function openWorld<Files extends RunFiles>({
  mayAsk,
  knowledge,
  tiers,
  environment,
  ended,
  memoryTimeoutMs,
  ...shared
}: WorldOptions<Files>): World<Files> {
  const capacities = new Map<string, FlexCapacity>();
  const checks = new Map<string, { readonly atMs: number; readonly answered: Promise<boolean> }>();
  return {
    ...shared,
    model: openOnce(mayAsk, async (spec) => {
      const parsed = parseModelSpec(spec);
      return parsed.provider === 'simulated'
        ? (await import('../models/simulated/model.js')).openSimulatedModel(parsed)
        : openModel(parsed, environment, {
            knowledge: knowledge(spec),
            memory: { timeoutMs: memoryTimeoutMs, observe: shared.emit, ended },
          });
    }),
    async answersCheck(use) {
      const { spec } = use;
      if (!listUsesToCheck([use]).some((listed) => mayAsk.has(listed.spec))) return false;
      const lastCheck = checks.get(spec);
      const ageMs = performance.now() - (lastCheck?.atMs ?? Number.NEGATIVE_INFINITY);
      // In a long outage, many calls ask for one.
      if (lastCheck !== undefined && ageMs < ((await lastCheck.answered) ? CHECK_HOLDS_MS : RECHECK_MS))
        return lastCheck.answered;
      const options = { knowledge: knowledge(spec), environment, signal: ended };
      const answered = answersCheck(shared.run.store, use, 'standard', options).catch(() => false);
      checks.set(spec, { atMs: performance.now(), answered });
      return answered;
    },
    batches: openOnce(mayAsk, async (spec) => {
      const api = await openBatchApi(parseModelSpec(spec), environment);
      return api === undefined ? undefined : createBatchModel(api, knowledge(spec));
    }),
    tierOf(spec) {
      const { tiers: configuredTiers = {}, tierFallbackMs } = tiers();
      const tier = configuredTiers[spec] ?? 'standard';
      const cachedCapacity = capacities.get(spec);
      if (cachedCapacity?.isFor(tier, tierFallbackMs) === true) return cachedCapacity;
      const capacity = new FlexCapacity(spec, tier, tierFallbackMs);
      capacities.set(spec, capacity);
      return capacity;
    },
  };
}

/** Time for which an answered check holds, and after which a model that did not answer is checked again. */
const CHECK_HOLDS_MS = 10_000;
const RECHECK_MS = 5 * 60_000;

/** Opens a consented SPEC's model, or its batches, at the first use. A failure is not cached. */
function openOnce<Opened>(
  mayAsk: ReadonlySet<string>,
  open: (spec: string) => Promise<Opened>,
): (spec: string) => Promise<Opened> {
  const cache = new Map<string, Promise<Opened>>();
  return async (spec) => {
    const cachedOpening = cache.get(spec);
    if (cachedOpening !== undefined) return cachedOpening;
    requireConsent(mayAsk, spec);
    const opening = open(spec);
    cache.set(spec, opening);
    opening.catch(() => cache.delete(spec));
    return opening;
  };
}

/** @throws ModelError for a SPEC that the user did not consent to */
function requireConsent(mayAsk: ReadonlySet<string>, spec: string): void {
  if (mayAsk.has(spec)) return;
  throw new ModelError(
    'bad-request',
    `${spec} was not called, because you have not consented to it for this run folder. If you trust it, run the command again with --trust.`,
  );
}

/** Opens a provider's batches; undefined if it has none. @throws ModelError when its key is missing */
export async function openBatchApi(
  spec: ModelSpec,
  environment: NodeJS.ProcessEnv,
): Promise<BatchApi | undefined> {
  return spec.provider === 'simulated'
    ? (await import('../models/simulated/batches.js')).openSimulatedBatches(spec)
    : openBatches(spec, environment);
}

/** Reads the inputs of a synthesis run. */
export async function readSynthesisFiles(
  store: Store,
  ownFiles: Pick<SynthesisFiles, 'codeVersion' | 'scratch'>,
): Promise<SynthesisFiles> {
  const { inputs, templates, prompts } = await readPlan(store);
  return {
    id: inputs.id,
    store,
    journal: openJournal(store),
    settings: inputs.settings,
    seeds: inputs.seeds,
    templates: new Map(templates.map((template) => [template.id, template])),
    prompts,
    ...ownFiles,
  };
}

/** Reads the inputs of an evaluation run. */
export async function readEvaluationFiles(store: Store): Promise<EvaluationFiles> {
  const evaluation = await openEvaluation(store);
  const { id, settings } = evaluation.inputs;
  return { ...evaluation, id, store, journal: openJournal(store), settings };
}

/** Reads the inputs of a run, and returns the function that builds its activities in a world with them. */
export type OpenWork = (
  folder: { readonly store: Store; readonly scratch: string },
  codeVersion: string,
) => Promise<(world: Omit<WorldOptions<RunFiles>, 'run'>) => RunActivities>;

/** Opens the work of a synthesis run. */
export const SYNTHESIS_WORK: OpenWork = async ({ store, scratch }, codeVersion) => {
  const run = await readSynthesisFiles(store, { codeVersion, scratch });
  return (world) => buildSynthesisActivities(openWorld({ ...world, run }));
};

/** Opens the work of an evaluation. */
export const EVALUATION_WORK: OpenWork = async ({ store }) => {
  const run = await readEvaluationFiles(store);
  const memoryTimeoutMs = run.inputs.memory?.timeoutMs;
  return (world) => buildEvaluationActivities(openWorld({ ...world, run, memoryTimeoutMs }));
};

// For `runs/`, which imports only types of activities.
export { readEvaluationParameters, readSynthesisParameters } from '../activities/parameters-in-force';
