import { hashText } from '../../data/store/files';
import { describeSourceChange } from '../../schemas/text/change-text';
import type { ReadyPersonas } from '../../data/personas';
import type { RunPlan } from '../../data/run/inputs';
import { readOccupations, readSeeds, readShippedSeeds, type Seeds } from '../../data/seeds';
import { listSynthesisPrompts } from '../../data/prompts/files';
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
import { listPromptDifferences, listSettingDifferences } from '../plan/differences';

/** Inputs of a synthesis, read and checked before anything is written or spent. */
export interface SynthesisRequest {
  readonly settings: SynthesisSettings;
  /** Seeds of personas, or their descriptions. */
  readonly seeds: Seeds | ReadyPersonas;
  readonly prompts: PromptPack;
}

/** Files that a command names for a run; absent ones are built in. */
export interface RunMaterial {
  readonly seeds?: string | undefined;
  readonly personas?: string | undefined;
  readonly prompts?: string | undefined;
}

/**
 * Reads the seeds or personas and the prompts that a command names. Strict quality, which ends stalled dialogues, is the default only with
 * the built-in prompts, because other packs may ask for less.
 * @param before the run that is continued; its personas and taxonomy apply if the command names none
 * @throws DataError or PromptPackError that say what to fix
 */
export async function readRunRequest(
  settings: RequestedSettings,
  files: RunMaterial,
  before?: RunPlan,
): Promise<SynthesisRequest> {
  const taxonomy = settings.taxonomy ?? before?.inputs.settings.taxonomy;
  const names = listSynthesisPrompts(settings.nSessions);
  const [seeds, prompts] = await Promise.all([
    readSource(files, before),
    loadPromptPack(files.prompts, names, taxonomy),
  ]);
  const builtIn = files.prompts === undefined ? prompts : await loadPromptPack(undefined, names, taxonomy);
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

/** A dialogue without progress for so many turns hardly ever ends with a 10. */
const STALL_TURNS = 4;

/** Reads the seeds of personas: the file that the command names, else those of the run, else the built-in ones. */
async function readSource(
  { seeds, personas }: RunMaterial,
  before: RunPlan | undefined,
): Promise<SynthesisRequest['seeds']> {
  if (personas !== undefined) {
    // Loaded late, because the readers of tables take longer than everything else here.
    const { readPersonas } = await import('../../data/personas.js');
    return readPersonas(personas);
  }
  if (seeds !== undefined) return readSeeds(seeds);
  const ownPlan = before?.inputs.seeds.origin === 'personas' ? before : undefined;
  if (ownPlan === undefined) return readShippedSeeds();
  const { source, simulated, license } = ownPlan.inputs.seeds;
  return { origin: 'personas', source, simulated, license, personas: ownPlan.templates.filter(isDescribed) };
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

/** Returns the run with more personas; existing ones stay unchanged. @throws InputError as for a new run */
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

/** Plans the personas of a run, the existing ones first; for descriptions given by the user, all of them. */
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
  const newTemplates = sampleTemplates({
    seeds: source.seeds,
    occupations: await readOccupations(source.origin),
    count: nPersonas - before.length,
    seed,
    quality,
    firstId: before.length + 1,
    usedSeeds: before.map((template) => template.seed),
  });
  return [...before, ...newTemplates];
}

/** Lists the differences that make the wanted run another run, one line each; empty if the plan can be continued. */
export function listDifferences(plan: RunPlan, request: SynthesisRequest): string[] {
  const before = { ...plan.inputs.settings, nPersonas: undefined, taxonomy: undefined };
  const after = { ...request.settings, nPersonas: undefined, taxonomy: undefined };
  const differences = listSettingDifferences('', before, after);
  const taxonomies = [plan.inputs.settings, request.settings].map(({ taxonomy }) => formatTaxonomy(taxonomy));
  if (taxonomies[0] !== taxonomies[1]) differences.push(`taxonomy: ${taxonomies.join(' before, ')} now`);
  const { nPersonas } = plan.inputs.settings;
  if (request.settings.nPersonas < nPersonas) {
    differences.push(
      `nPersonas: ${nPersonas} before, ${request.settings.nPersonas} now. It can only grow: use --n-personas ${nPersonas} or more`,
    );
  }
  const seeds = describeSeeds(request.seeds);
  // Built-in seeds may change with the program; a run continues with its own.
  if (!(plan.inputs.seeds.origin === 'built-in' && seeds.origin === 'built-in')) {
    if (plan.inputs.seeds.hash !== seeds.hash) {
      const subject = [plan.inputs.seeds, seeds].some(({ origin }) => origin === 'personas')
        ? 'personas'
        : 'seeds';
      const contents = subject === 'personas' ? 'descriptions' : 'sentences';
      differences.push(describeSourceChange(subject, plan.inputs.seeds.source, seeds.source, contents));
    }
  }
  return [...differences, ...listPromptDifferences(plan.prompts, request.prompts)];
}

function describeSeeds(seeds: SynthesisRequest['seeds']): RunInputs['seeds'] {
  const { origin, source } = seeds;
  const contents =
    seeds.origin === 'personas' ? seeds.personas.map((persona) => JSON.stringify(persona)) : seeds.seeds;
  const hash = hashText(contents.join('\n'));
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

/** Returns true if the run has finished its whole plan. */
export function isFinished(plan: RunPlan, run: RunFile): boolean {
  return run.state === 'finished' && isRecorded(plan, run);
}

/** Returns true if `run.json` lists every growth and restart of the plan; it is written once the engine has started them. */
export function isRecorded({ inputs }: RunPlan, run: RunFile): boolean {
  return run.growth.length === inputs.growth.length && run.restarts.length === inputs.restarts.length;
}
