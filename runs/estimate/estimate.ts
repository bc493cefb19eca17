import { join, resolve } from 'node:path';
import { closedPersonas } from '../../data/run/artifacts';
import { hasEvaluationPlan } from '../../data/run/evaluation-plan';
import { hasPlan, type RunPlan } from '../../data/run/inputs';
import { tableFor } from '../../data/model-table';
import { readSteering } from '../../data/run/steering';
import { folderStore, type Store } from '../../data/store/store';
import type { PromptName } from '../../prompts/files';
import { readTemplate } from '../../prompts/render';
import { templateLines } from '../../prompts/values';
import { costOfRow, type RowCost } from '../../costs/estimate-cost';
import { steered, type WantedSteering } from '../../limits/steering';
import { pricesCheckedOn, unpricedOf } from '../../costs/prices';
import { NO_ANSWERS, type RunAnswers } from '../../costs/run-answers';
import {
  describingCalls,
  estimateRun,
  sumOf,
  type Amount,
  type Band,
  type EstimateRow,
  type RunShape,
} from '../../costs/run-estimate';
import type { Ledger } from '../../schemas/ledger';
import type { PromptPack } from '../../schemas/prompts';
import type { SynthesisStep } from '../../schemas/step';
import { readLedger } from './ledgers';
import { AnswersReader } from './read-answers';
import { heldRun, RunFolderError } from '../folder/run-folder';

/** What a run is expected to take from its beginning to its end, and, once it is begun, how much of that it took. */
export interface Estimate {
  readonly run: string;
  readonly personas: { readonly all: number; readonly finished: number; readonly failed: number };
  readonly rows: readonly EstimatedRow[];
  /** Of all rows, what was spent included. */
  readonly total: Band<Estimated>;
  /** What models without a price cost is in no sum. */
  readonly unpriced: readonly string[];
  /** The day of the oldest price; absent when no model has one. */
  readonly pricesCheckedOn?: string;
  /** Only of a run that was begun. */
  readonly begun?: { readonly spent: Estimated; readonly left: Band<Estimated> };
}

export interface EstimatedRow extends EstimateRow {
  /** Absent for a model without a price. */
  readonly usd?: RowCost;
}

/** Tokens that were assumed included. */
export type Estimated = Amount & { readonly usd: number };

/** A run of which a folder holds something. */
export interface BegunRun {
  readonly plan: RunPlan;
  readonly store: Store;
  /** Whether a process is at work on it. */
  readonly driven: boolean;
}

/**
 * The synthesis run of a folder, whoever may be working there; undefined while it holds none. Writes nothing.
 * @throws RunFolderError when it holds something else, or a run that this program cannot read
 */
export async function begunRun(folder: string): Promise<BegunRun | undefined> {
  const inner = folderStore(join(resolve(folder), '.cupid'));
  const begun = (await hasPlan(inner)) || (await hasEvaluationPlan(inner));
  const held = begun ? await heldRun(folder) : undefined;
  if (held === undefined) return undefined;
  if (held.kind === 'evaluation') {
    throw new RunFolderError(`${folder} contains the results of an evaluation. Name another --output-dir.`);
  }
  return { plan: held.plan, store: held.folder.store, driven: held.holder !== undefined };
}

/**
 * What a run will have taken when it is done.
 * @param plan the run as it is to be: with more personas, perhaps, than the one that was begun
 * @param change of how the run is steered
 */
export async function estimateOf(
  plan: RunPlan,
  begun: BegunRun | undefined,
  change: WantedSteering,
): Promise<Estimate> {
  if (begun === undefined) return estimate(plan, NOTHING, change);
  const { store, driven } = begun;
  const steering = steered(await readSteering(store), change);
  const ledger = await readLedger(store, driven ? 'all' : []);
  const answers = await new AnswersReader(plan.inputs, store).read();
  const { finished, failed } = await closedPersonas(store);
  const progress = { answers, ledger, finished: finished.length, failed: failed.length };
  const estimated = estimate(plan, progress, steering);
  return { ...estimated, begun: standOf(estimated.rows) };
}

/** What decides on the prices of calls: the user's own entries of the model table, and the tier of each model. */
interface PriceTerms {
  readonly modelTable?: WantedSteering['modelTable'] | undefined;
  readonly tiers?: WantedSteering['tiers'] | undefined;
}

interface Progress {
  readonly answers: RunAnswers;
  readonly ledger: Ledger;
  readonly finished: number;
  readonly failed: number;
}

const NOTHING: Progress = { answers: NO_ANSWERS, ledger: [], finished: 0, failed: 0 };

function estimate(
  plan: RunPlan,
  { answers, ledger, finished, failed }: Progress,
  terms: PriceTerms,
): Estimate {
  const { id, settings } = plan.inputs;
  const rows = estimatedRows(plan, answers, ledger, terms);
  const table = tableFor(terms);
  const { spent, left } = standOf(rows);
  const specs = [...Object.values(settings.models), ...rows.map(({ spec }) => spec)];
  const checked = pricesCheckedOn(specs, table);
  return {
    run: id,
    personas: { all: settings.nPersonas, finished, failed },
    rows,
    total: {
      low: added(spent, left.low),
      likely: added(spent, left.likely),
      high: added(spent, left.high),
    },
    unpriced: unpricedOf(specs, table),
    ...(checked === undefined ? {} : { pricesCheckedOn: checked }),
  };
}

/** What is left of a run, as `cupid status` and `cupid synth --estimate` show it. */
export function leftOf(plan: RunPlan, answers: RunAnswers, ledger: Ledger, terms: PriceTerms): Estimated {
  return standOf(estimatedRows(plan, answers, ledger, terms)).left.likely;
}

/** Calls that are left of a run, repairs as they are expected before any answer. */
export function callsLeftOf(plan: RunPlan, answers: RunAnswers): number {
  return sumOf(estimateRun(shapeOf(plan), answers, []).map(({ left }) => left.likely)).calls;
}

/** The steps of a run that are still to call a model. */
export function stepsLeftOf(plan: RunPlan, answers: RunAnswers): SynthesisStep[] {
  const rows = estimateRun(shapeOf(plan), answers, []);
  return rows.flatMap(({ step, left }) => (left.likely.calls > 0 ? [step] : []));
}

function estimatedRows(
  plan: RunPlan,
  answers: RunAnswers,
  ledger: Ledger,
  terms: PriceTerms,
): EstimatedRow[] {
  const table = tableFor(terms);
  return estimateRun(shapeOf(plan), answers, ledger).map((row) => {
    const usd = costOfRow(row, ledger, table, terms.tiers?.[row.spec]);
    return usd === undefined ? row : { ...row, usd };
  });
}

function standOf(rows: readonly EstimatedRow[]): NonNullable<Estimate['begun']> {
  const left = (bound: keyof EstimatedRow['left']): Estimated => ({
    ...sumOf(rows.map((row) => row.left[bound])),
    usd: sum(rows.map(({ usd }) => usd?.left[bound] ?? 0)),
  });
  return {
    spent: { ...sumOf(rows.map(({ spent }) => spent)), usd: sum(rows.map(({ usd }) => usd?.spent ?? 0)) },
    left: { low: left('low'), likely: left('likely'), high: left('high') },
  };
}

function added(one: Estimated, other: Estimated): Estimated {
  return { ...sumOf([one, other]), usd: one.usd + other.usd };
}

function sum(values: readonly number[]): number {
  return values.reduce((all, value) => all + value, 0);
}

function shapeOf({ inputs, templates, prompts }: RunPlan): RunShape {
  const { settings, growth } = inputs;
  const characters = (step: SynthesisStep) => promptCharacters(prompts, PROMPTS[step]);
  return {
    settings,
    batches: describingCalls(growth, settings.describeBatch),
    prompts: {
      describe: characters('describe'),
      factors: characters('factors'),
      journey: characters('journey'),
      checklist: characters('checklist'),
      assistant: characters('assistant'),
      user: characters('user'),
    },
    templates: templateLines(templates).length,
  };
}

const PROMPTS: Readonly<Record<SynthesisStep, PromptName>> = {
  describe: 'synthesis/persona_generator',
  factors: 'synthesis/context_factors_generator',
  journey: 'synthesis/sessions_generator',
  checklist: 'synthesis/preference_decomposer',
  assistant: 'synthesis/assistant_simulator',
  user: 'synthesis/user_simulator',
};

/** Of both texts of a prompt, its placeholders left out. */
function promptCharacters({ prompts }: PromptPack, name: PromptName): number {
  const { system_prompt: system = '', user_prompt: user = '' } = prompts[name] ?? {};
  return [system, user]
    .flatMap((template) => readTemplate(template).parts)
    .reduce((all, part) => all + ('text' in part ? part.text.length : 0), 0);
}
