import { resolve } from 'node:path';
import { listClosedPersonas } from '../../data/run/artifacts';
import type { RunPlan } from '../../data/run/inputs';
import { buildModelTable } from '../../data/model-table';
import { readSteering } from '../../data/run/steering';
import { openRunStore } from '../../data/store/open-store';
import type { Store } from '../../data/store/store';
import { JOURNEY_PART_PROMPT, type PromptName } from '../../data/prompts/files';
import { isTemplate } from '../../schemas/dataset/persona';
import { renderTemplates } from '../../data/prompts/values';
import type { RunShape } from '../../engine/costs/expected-tokens';
import { projectRun, type RunProjection } from '../../engine/costs/projection';
import { buildCostEstimate, type CostEstimate } from '../estimate/cost-estimate';
import { NO_ANSWERS, type RunAnswers } from '../../engine/costs/run-answers';
import { applySteering, type SteeringRequest } from '../../engine/limits/steering';
import { listModels } from '../../engine/model-facts/roles';
import type { Ledger } from '../../schemas/run/ledger';
import type { Steering } from '../../schemas/run/steering';
import { mapValues } from '../../schemas/map-values';
import { sum } from '../../schemas/sum';
import type { SynthesisStep } from '../../schemas/run/step';
import { buildBatches } from '../../engine/journal/batches';
import { applySteeringAtRest } from '../control/at-rest';
import { isDriven } from '../folder/run-lock';
import { readLedger } from '../estimate/ledgers';
import { countPromptCharacters } from '../estimate/prompt-length';
import { AnswersReader } from './read-answers';
import { findKind, findOpenRun } from '../folder/run-folder';
import { WrongFolder } from '../folder/run-folder-error';

/** Estimate of a synthesis run. */
export interface Estimate extends CostEstimate {
  readonly personas: { readonly all: number; readonly finished: number; readonly failed: number };
}

/** A run with data in its folder. */
interface BegunRun {
  readonly plan: RunPlan;
  readonly store: Store;
  /** Whether a process works for it. */
  readonly driven: boolean;
}

/**
 * Reads the synthesis run of a folder, also while another process drives it; undefined if there is none. Writes nothing.
 * @throws WrongFolder when it holds something else, RunFolderError for a run that this program cannot read
 */
export async function readBegunRun(folder: string): Promise<BegunRun | undefined> {
  const kind = await findKind(await openRunStore(resolve(folder)));
  const openRun = kind && (await findOpenRun(folder));
  if (openRun === undefined) return undefined;
  if (openRun.kind === 'evaluation') {
    throw new WrongFolder(`${folder} contains the results of an evaluation. Name another --output-dir.`);
  }
  return { plan: openRun.plan, store: openRun.folder.store, driven: isDriven(openRun) };
}

/**
 * Estimates the totals of a run.
 * @param plan the wanted run, perhaps with more personas than the started one
 * @param change of steering
 * @param batch whether it plans personas in batches
 * @throws InputError for a change that the run would reject
 */
export async function buildEstimate(
  plan: RunPlan,
  begun: BegunRun | undefined,
  change: SteeringRequest,
  batch = false,
): Promise<Estimate> {
  const { steering, answers, ledger, finished, failed } =
    begun === undefined
      ? { steering: UNSTEERED, answers: NO_ANSWERS, ledger: [], finished: [], failed: [] }
      : await readProgress(plan, begun);
  const { id, settings } = plan.inputs;
  // A finished run rejects no change, because it makes no call.
  const isFinished = finished.length + failed.length >= settings.nPersonas;
  const terms = isFinished
    ? applySteering(steering, change)
    : applySteeringAtRest(steering, change, { models: listModels(plan.inputs), ledger });
  const projection = projectPlan(plan, answers, ledger, { ...terms, batch });
  return {
    ...buildCostEstimate(projection, {
      run: id,
      models: Object.values(settings.models),
      isBegun: begun !== undefined,
      terms,
    }),
    personas: { all: settings.nPersonas, finished: finished.length, failed: failed.length },
  };
}

const UNSTEERED: Steering = { paused: false, limits: {} };

async function readProgress(plan: RunPlan, { store, driven }: BegunRun) {
  return {
    steering: await readSteering(store),
    answers: await new AnswersReader(plan.inputs, store).read(),
    ledger: await readLedger(store, driven ? 'all' : []),
    ...(await listClosedPersonas(store)),
  };
}

/** Projects a run to its end. @param terms that determine the prices of calls; absent where only their numbers matter */
export function projectPlan(
  plan: RunPlan,
  answers: RunAnswers,
  ledger: Ledger = [],
  {
    batch = false,
    ...terms
  }: Pick<SteeringRequest, 'modelTable' | 'tiers'> & { readonly batch?: boolean } = {},
): RunProjection<SynthesisStep> {
  const table = buildModelTable(terms);
  return projectRun(getShape(plan), answers, ledger, { table, tiers: terms.tiers, batch });
}

function getShape({ inputs, templates, prompts }: RunPlan): RunShape {
  return {
    settings: inputs.settings,
    batches: inputs.seeds.origin === 'personas' ? 0 : buildBatches({ ...inputs, restarts: [] }).length,
    prompts: mapValues(PROMPTS, (names) => sum(names.map((name) => countPromptCharacters(prompts, name)))),
    templates: renderTemplates(templates.filter(isTemplate)).length,
  };
}

/** The prompts of a call of each step. One that the run does not need counts as empty. */
const PROMPTS: Readonly<Record<SynthesisStep, readonly PromptName[]>> = {
  describe: ['synthesis/persona_generator'],
  factors: ['synthesis/context_factors_generator'],
  journey: ['synthesis/sessions_generator', JOURNEY_PART_PROMPT],
  checklist: ['synthesis/preference_decomposer'],
  assistant: ['synthesis/assistant_simulator'],
  user: ['synthesis/user_simulator'],
};
