import { createHash, randomUUID } from 'node:crypto';
import type { RunPlan } from '../../data/run/inputs';
import { readOccupations, readSeeds, readShippedSeeds, type Seeds } from '../../data/seeds';
import { SYNTHESIS_PROMPT_NAMES } from '../../prompts/files';
import { loadPromptPack } from '../../prompts/load';
import { sampleTemplates } from '../../rules/sampling/templates';
import type { PromptPack } from '../../schemas/run/prompts';
import type { RunFile, RunInputs } from '../../schemas/run/run';
import type { RequestedSettings, SynthesisSettings } from '../../schemas/run/settings';

/** What a command is to synthesize, read and checked before anything is written or spent. */
export interface RunRequest {
  readonly settings: SynthesisSettings;
  readonly seeds: Seeds;
  readonly prompts: PromptPack;
}

/**
 * Reads the seeds and the prompts that a command names. Strict quality, under which stalled dialogues end, is the default with the built-in
 * prompts only: other packs may ask for less.
 * @throws DataError or PromptPackError that say what to fix
 */
export async function readRunRequest(
  settings: RequestedSettings,
  files: { readonly seeds?: string | undefined; readonly prompts?: string | undefined },
): Promise<RunRequest> {
  const [seeds, prompts] = await Promise.all([
    files.seeds === undefined ? readShippedSeeds() : readSeeds(files.seeds),
    loadPromptPack(files.prompts, SYNTHESIS_PROMPT_NAMES),
  ]);
  const builtIn =
    files.prompts === undefined ? prompts : await loadPromptPack(undefined, SYNTHESIS_PROMPT_NAMES);
  const quality = settings.quality ?? (prompts.hash === builtIn.hash ? 'strict' : 'reference');
  const stallTurns = settings.stallTurns ?? (quality === 'strict' ? STALL_TURNS : 0);
  return { settings: { ...settings, quality, stallTurns }, seeds, prompts };
}

/** A dialogue that has not moved for so long hardly ever ends with a 10. */
const STALL_TURNS = 4;

/** Draws a new run. @throws SeedsExhausted when there are fewer seeds than personas. */
export async function planRun({ settings, seeds, prompts }: RunRequest): Promise<RunPlan> {
  return {
    inputs: {
      id: `cupid-${randomUUID().slice(0, 8)}`,
      settings,
      seeds: describeSeeds(seeds),
      prompts: { source: prompts.source, hash: prompts.hash },
      growth: [settings.nPersonas],
      restarts: [],
    },
    templates: sampleTemplates({
      seeds: seeds.seeds,
      occupations: await readOccupations(seeds.origin),
      count: settings.nPersonas,
      seed: settings.seed,
    }),
    prompts,
  };
}

/** The same run with more personas: those it has stay as they are. @throws SeedsExhausted */
export async function growRun(plan: RunPlan, { settings, seeds }: RunRequest): Promise<RunPlan> {
  const drawn = plan.templates.length;
  const more = sampleTemplates({
    seeds: seeds.seeds,
    occupations: await readOccupations(seeds.origin),
    count: settings.nPersonas - drawn,
    seed: settings.seed,
    firstId: drawn + 1,
    usedSeeds: plan.templates.map((template) => template.seed),
  });
  return {
    ...plan,
    inputs: {
      ...plan.inputs,
      settings: { ...plan.inputs.settings, nPersonas: settings.nPersonas },
      growth: [...plan.inputs.growth, settings.nPersonas],
    },
    templates: [...plan.templates, ...more],
  };
}

/** The differences that make the wanted run another run, one line each; none when the plan can be continued. */
export function listDifferences(plan: RunPlan, wanted: RunRequest): string[] {
  const before = { ...plan.inputs.settings, nPersonas: undefined };
  const after = { ...wanted.settings, nPersonas: undefined };
  const found = listSettingDifferences('', before, after);
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
      found.push(`seeds: ${plan.inputs.seeds.source} before, ${seeds.source} now, with other sentences`);
    }
  }
  return [...found, ...listPromptDifferences(plan.prompts, wanted.prompts)];
}

/** What differs between two packs. Two built-in ones may differ, as programs do: a run continues with what it was started with. */
export function listPromptDifferences(before: PromptPack, now: PromptPack): string[] {
  if (before.hash === now.hash || (before.source === 'built-in' && now.source === 'built-in')) return [];
  return [`prompts: ${before.source} before, ${now.source} now, with other texts`];
}

function describeSeeds({ origin, source, seeds }: Seeds): RunInputs['seeds'] {
  const hash = createHash('sha256').update(seeds.join('\n')).digest('hex');
  return { origin, source, count: seeds.length, hash };
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

/** True when the run came to its end as the plan has it. */
export function isFinished(plan: RunPlan, run: RunFile): boolean {
  return run.state === 'finished' && isRecorded(plan, run);
}

/** True when `run.json` lists every growth and restart of the plan: it is written once the engine has started them. */
export function isRecorded({ inputs }: RunPlan, run: RunFile): boolean {
  return run.growth.length === inputs.growth.length && run.restarts.length === inputs.restarts.length;
}
