import { join, resolve } from 'node:path';
import { closedPersonas, keptPersonas } from '../data/artifacts';
import { hasEvaluationPlan } from '../data/evaluation-plan';
import { hasPlan, type RunPlan } from '../data/inputs';
import { builtInPrices } from '../data/prices';
import { readSteering } from '../data/steering';
import { folderStore, type Store } from '../data/store';
import type { PromptName } from '../prompts/files';
import { readTemplate } from '../prompts/render';
import { templateLines } from '../prompts/values';
import { costOfRow, type CostBand } from '../rules/estimate-cost';
import { finishedPersona, narrowedEstimate, type FinishedPersona } from '../rules/narrowed-estimate';
import { costOf, tokensOf, unpricedOf, type Cost } from '../rules/prices';
import { describingCalls, estimateRun, sumOf, type Amount, type EstimateRow } from '../rules/run-estimate';
import type { Ledger } from '../schemas/ledger';
import type { Prices } from '../schemas/prices';
import type { PromptPack } from '../schemas/prompts';
import type { SynthesisStep } from '../schemas/step';
import { ledgerOf } from './ledgers';
import { heldRun, RunFolderError } from './run-folder';

export { amountText } from '../rules/budget';

/** What a run is expected to take from its beginning to its end, and, once it is begun, how much of that it took. */
export interface Estimate {
  readonly run: string;
  readonly personas: { readonly all: number; readonly finished: number; readonly failed: number };
  readonly rows: readonly EstimatedRow[];
  readonly total: Estimated;
  /** What models without a price cost is in no sum. */
  readonly unpriced: readonly string[];
  readonly prices: Pick<Prices, 'date' | 'source'>;
  /** Only of a run that was begun. */
  readonly begun?: {
    /** Assumed tokens included. */
    readonly spent: Cost & { readonly calls: number; readonly tokens: number };
    readonly left: Band<{ readonly calls: number; readonly tokens: number; readonly usd: number }>;
  };
}

interface Band<T> {
  readonly low: T;
  readonly likely: T;
  readonly high: T;
}

export interface EstimatedRow extends EstimateRow {
  /** Absent for a model without a price. */
  readonly usd?: CostBand;
}

export type Estimated = Band<Amount & { readonly usd: number }>;

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
    throw new RunFolderError(`${folder} holds the results of an evaluation. Name another --output-dir.`);
  }
  return { plan: held.plan, store: held.folder.store, driven: held.holder !== undefined };
}

/**
 * What a run will have taken when it is done.
 * @param plan the run as it is to be: with more personas, perhaps, than the one that was begun
 * @param wanted prices; else those the run is steered with, or the built-in ones
 */
export async function estimateOf(
  plan: RunPlan,
  begun: BegunRun | undefined,
  wanted: Prices | undefined,
): Promise<Estimate> {
  const { inputs } = plan;
  const { nPersonas, models } = inputs.settings;
  const { finished, failed, ledger, steering } = begun === undefined ? NOTHING : await readProgress(begun);
  const prices = wanted ?? steering.prices ?? builtInPrices();
  const rows = narrowedEstimate(estimateRun(shapeOf(plan)), nPersonas, finished, ledger).map(
    (row): EstimatedRow => {
      const usd = costOfRow(row, ledger, prices);
      return usd === undefined ? row : { ...row, usd };
    },
  );
  const total = totalOf(rows);
  return {
    run: inputs.id,
    personas: { all: nPersonas, finished: finished.length, failed },
    rows,
    total,
    unpriced: unpricedOf([...Object.values(models), ...rows.map(({ spec }) => spec)], prices),
    prices: { date: prices.date, source: prices.source },
    ...(begun === undefined ? {} : { begun: standOf(total, ledger, prices) }),
  };
}

interface Progress {
  readonly finished: readonly FinishedPersona[];
  readonly failed: number;
  readonly ledger: Ledger;
  readonly steering: { readonly prices?: Prices | undefined };
}

const NOTHING: Progress = { finished: [], failed: 0, ledger: [], steering: {} };

async function readProgress({ store, driven }: BegunRun): Promise<Progress> {
  const finished: FinishedPersona[] = [];
  for await (const kept of keptPersonas(store)) finished.push(finishedPersona(kept));
  const ledger = await ledgerOf(store, driven);
  return {
    finished,
    failed: (await closedPersonas(store)).failed.length,
    ledger,
    steering: await readSteering(store),
  };
}

function shapeOf({ inputs, templates, prompts }: RunPlan): Parameters<typeof estimateRun>[0] {
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
    .reduce((sum, part) => sum + ('text' in part ? part.text.length : 0), 0);
}

function totalOf(rows: readonly EstimatedRow[]): Estimated {
  const sum = (bound: keyof Estimated) => ({
    ...sumOf(rows.map((row) => row[bound])),
    usd: rows.reduce((usd, row) => usd + (row.usd?.[bound] ?? 0), 0),
  });
  return { low: sum('low'), likely: sum('likely'), high: sum('high') };
}

function standOf(total: Estimated, ledger: Ledger, prices: Prices): NonNullable<Estimate['begun']> {
  const spent = {
    ...costOf(ledger, prices),
    calls: ledger.reduce((sum, { calls }) => sum + calls, 0),
    tokens: tokensOf(ledger),
  };
  const left = ({ calls, input, output, usd }: Estimated['likely']) => ({
    calls: Math.max(0, calls - spent.calls),
    tokens: Math.max(0, input + output - spent.tokens),
    usd: Math.max(0, usd - spent.usd),
  });
  return { spent, left: { low: left(total.low), likely: left(total.likely), high: left(total.high) } };
}
