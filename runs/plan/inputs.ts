import { createHash } from 'node:crypto';
import type { ReadyPersonas } from '../../data/personas';
import type { RunPlan } from '../../data/run/inputs';
import { readOccupations, readSeeds, readShippedSeeds, type Seeds } from '../../data/seeds';
import { SYNTHESIS_PROMPT_NAMES } from '../../data/prompts/files';
import { loadPromptPack } from '../../data/prompts/load';
import { sampleTemplates } from '../../rules/sampling/templates';
import { InputError } from '../../schemas/input-error';
import { isDescribed, type PlannedPersona } from '../../schemas/dataset/persona';
import type { Taxonomy } from '../../schemas/dataset/taxonomy';
import type { PromptPack } from '../../schemas/run/prompts';
import type { RunFile, RunInputs } from '../../schemas/run/run';
import { DEFAULT_PERSONAS, type RequestedSettings, type SynthesisSettings } from '../../schemas/run/settings';
import { formatCount, formatNumber } from '../../schemas/text/count-text';
import { createRunId } from '../folder/run-id';

/** What a command is to synthesize, read and checked before anything is written or spent. */
export interface SynthesisRequest {
  readonly settings: SynthesisSettings;
  /** What personas are made from, or ready descriptions of them. */
  readonly seeds: Seeds | ReadyPersonas;
  readonly prompts: PromptPack;
}

/** The files that a command names for a run; what is absent is built in. */
export interface RunMaterial {
  readonly seeds?: string | undefined;
  readonly personas?: string | undefined;
  readonly prompts?: string | undefined;
}

/**
 * Reads the seeds or personas and the prompts that a command names. Strict quality, under which stalled dialogues end, is the default with
 * the built-in prompts only: other packs may ask for less.
 * @param before the run that is continued: its own personas and taxonomy hold where the command names none
 * @throws DataError or PromptPackError that say what to fix
 */
export async function readRunRequest(
  settings: RequestedSettings,
  files: RunMaterial,
  before?: RunPlan,
): Promise<SynthesisRequest> {
  const taxonomy = settings.taxonomy ?? before?.inputs.settings.taxonomy;
  const [seeds, prompts] = await Promise.all([
    readSource(files, before),
    loadPromptPack(files.prompts, SYNTHESIS_PROMPT_NAMES, taxonomy),
  ]);
  const builtIn =
    files.prompts === undefined ? prompts : await loadPromptPack(undefined, SYNTHESIS_PROMPT_NAMES, taxonomy);
  const quality = settings.quality ?? (prompts.hash === builtIn.hash ? 'strict' : 'reference');
  const stallTurns = settings.stallTurns ?? (quality === 'strict' ? STALL_TURNS : 0);
  const nPersonas =
    settings.nPersonas ?? (seeds.origin === 'personas' ? seeds.personas.length : DEFAULT_PERSONAS);
  return {
    settings: {
      ...settings,
      quality,
      nPersonas,
      stallTurns,
      ...(taxonomy === undefined ? {} : { taxonomy }),
    },
    seeds,
    prompts,
  };
}

/** A dialogue that has not moved for so long hardly ever ends with a 10. */
const STALL_TURNS = 4;

/** What personas are made from: the file that the command names, what the run has, or the built-in seeds. */
async function readSource(
  { seeds, personas }: RunMaterial,
  before: RunPlan | undefined,
): Promise<SynthesisRequest['seeds']> {
  if (personas !== undefined) {
    // Loaded only now: the readers of tables take longer than everything else here.
    const { readPersonas } = await import('../../data/personas.js');
    return readPersonas(personas);
  }
  if (seeds !== undefined) return readSeeds(seeds);
  const kept = before?.inputs.seeds.origin === 'personas' ? before : undefined;
  if (kept === undefined) return readShippedSeeds();
  const { source, simulated, license } = kept.inputs.seeds;
  return { origin: 'personas', source, simulated, license, personas: kept.templates.filter(isDescribed) };
}

/** Draws a new run. @throws InputError when there are fewer seeds or ready descriptions than personas. */
export async function planRun({ settings, seeds, prompts }: SynthesisRequest): Promise<RunPlan> {
  return {
    inputs: {
      id: createRunId('synthesis'),
      settings,
      seeds: describeSeeds(seeds),
      prompts: { source: prompts.source, hash: prompts.hash },
      growth: [settings.nPersonas],
      restarts: [],
    },
    templates: await planPersonas(seeds, settings, []),
    prompts,
  };
}

/** Returns the same run with more personas: those it has stay as they are. @throws InputError as for a new one */
export async function growRun(plan: RunPlan, { settings, seeds }: SynthesisRequest): Promise<RunPlan> {
  return {
    ...plan,
    inputs: {
      ...plan.inputs,
      settings: { ...plan.inputs.settings, nPersonas: settings.nPersonas },
      growth: [...plan.inputs.growth, settings.nPersonas],
    },
    templates: await planPersonas(seeds, settings, plan.templates),
  };
}

/** Returns the personas of a run, those that it has first; of ready descriptions all there are. */
async function planPersonas(
  source: SynthesisRequest['seeds'],
  { nPersonas, seed, quality }: SynthesisSettings,
  before: readonly PlannedPersona[],
): Promise<readonly PlannedPersona[]> {
  if (source.origin === 'personas') {
    const { length } = source.personas;
    if (length >= nPersonas) return source.personas;
    throw new InputError(
      `${source.source} describes ${formatCount(length, 'persona')}, but ${formatNumber(nPersonas)} were requested. Use --n-personas ${length}, or start a run in another --output-dir with a file of more personas.`,
    );
  }
  const more = sampleTemplates({
    seeds: source.seeds,
    occupations: await readOccupations(source.origin),
    count: nPersonas - before.length,
    seed,
    quality,
    firstId: before.length + 1,
    usedSeeds: before.map((template) => template.seed),
  });
  return [...before, ...more];
}

/** Returns the differences that make the wanted run another run, one line each; none when the plan can be continued. */
export function listDifferences(plan: RunPlan, wanted: SynthesisRequest): string[] {
  const before = { ...plan.inputs.settings, nPersonas: undefined, taxonomy: undefined };
  const after = { ...wanted.settings, nPersonas: undefined, taxonomy: undefined };
  const found = listSettingDifferences('', before, after);
  const taxonomies = [plan.inputs.settings, wanted.settings].map(({ taxonomy }) => formatTaxonomy(taxonomy));
  if (taxonomies[0] !== taxonomies[1]) found.push(`taxonomy: ${taxonomies.join(' before, ')} now`);
  const { nPersonas } = plan.inputs.settings;
  if (wanted.settings.nPersonas < nPersonas) {
    found.push(
      `nPersonas: ${nPersonas} before, ${wanted.settings.nPersonas} now. It can only grow: use --n-personas ${nPersonas} or more`,
    );
  }
  const seeds = describeSeeds(wanted.seeds);
  // What is built in may change with the program; a run continues with what it was started with.
  if (!(plan.inputs.seeds.origin === 'built-in' && seeds.origin === 'built-in')) {
    if (plan.inputs.seeds.hash !== seeds.hash) {
      const what = [plan.inputs.seeds, seeds].some(({ origin }) => origin === 'personas')
        ? 'personas'
        : 'seeds';
      const contents = what === 'personas' ? 'descriptions' : 'sentences';
      found.push(`${what}: ${plan.inputs.seeds.source} before, ${seeds.source} now, with other ${contents}`);
    }
  }
  return [...found, ...listPromptDifferences(plan.prompts, wanted.prompts)];
}

/** What differs between two packs. Two built-in ones may differ, as programs do: a run continues with what it was started with. */
export function listPromptDifferences(before: PromptPack, now: PromptPack): string[] {
  if (before.hash === now.hash || (before.source === 'built-in' && now.source === 'built-in')) return [];
  return [`prompts: ${before.source} before, ${now.source} now, with other texts`];
}

function describeSeeds(seeds: SynthesisRequest['seeds']): RunInputs['seeds'] {
  const { origin, source } = seeds;
  const contents =
    seeds.origin === 'personas' ? seeds.personas.map((one) => JSON.stringify(one)) : seeds.seeds;
  const hash = createHash('sha256').update(contents.join('\n')).digest('hex');
  const { simulated, license } = seeds.origin === 'personas' ? seeds : {};
  return {
    origin,
    source,
    count: contents.length,
    hash,
    ...(simulated && { simulated }),
    ...(license !== undefined && { license }),
  };
}

function formatTaxonomy(taxonomy: Taxonomy | undefined): string {
  if (taxonomy === undefined) return "the paper's types";
  return Object.entries(taxonomy)
    .map(([name, types]) => `${name} ${types.join(', ')}`)
    .join('; ');
}

/** What differs between two settings, one line each. */
export function listSettingDifferences(path: string, before: unknown, after: unknown): string[] {
  if (isObject(before) && isObject(after)) {
    return Object.keys({ ...before, ...after }).flatMap((key) =>
      listSettingDifferences(path === '' ? key : `${path}.${key}`, before[key], after[key]),
    );
  }
  return before === after ? [] : [`${path}: ${String(before)} before, ${String(after)} now`];
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null;
}

/** Returns true when the run came to its end as the plan has it. */
export function isFinished(plan: RunPlan, run: RunFile): boolean {
  return run.state === 'finished' && isRecorded(plan, run);
}

/** Returns true when `run.json` lists every growth and restart of the plan: it is written once the engine has started them. */
export function isRecorded({ inputs }: RunPlan, run: RunFile): boolean {
  return run.growth.length === inputs.growth.length && run.restarts.length === inputs.restarts.length;
}
