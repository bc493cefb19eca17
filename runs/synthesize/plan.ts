import type { RunPlan } from '../../data/run/inputs';
import { InputError } from '../../schemas/input-error';
import type { RunFile } from '../../schemas/run/run';
import type { RequestedSettings } from '../../schemas/run/settings';
import type { RunFolder } from '../folder/run-folder';
import {
  growRun,
  isFinished,
  listDifferences,
  planRun,
  readRunRequest,
  type RunMaterial,
  type SynthesisRequest,
} from './inputs';
import { formatUnknown, planRegeneration, type PlannedRestarts } from './restarts';

/**
 * Reads the files that a command names, and returns a function that plans its run: a new one, the one before, or that one with more
 * personas.
 * @param files with the folder, as messages name it
 * @throws DataError or PromptPackError; InputError, from the planner, when the run before has other settings
 */
export async function createPlanner(
  settings: RequestedSettings,
  files: RunMaterial & { readonly outputDir: string },
): Promise<(before: RunPlan | undefined, location?: string) => Promise<RunPlan>> {
  // Errors of the files are reported before the folder is opened.
  const freshRequest = await readRunRequest(settings, files);
  return async (before, location) => {
    const isOwn = before !== undefined && hasOwnMaterial(before);
    const request = isOwn ? await readRunRequest(settings, files, before) : freshRequest;
    const nPersonas = settings.nPersonas ?? before?.inputs.settings.nPersonas ?? request.settings.nPersonas;
    const grown = { ...request, settings: { ...request.settings, nPersonas } };
    return before === undefined ? planRun(grown) : continuePlan(before, grown, files.outputDir, location);
  };
}

/** Returns true if the run has a copy of its own personas or types, so that the command need not name their files again. */
function hasOwnMaterial({ inputs }: RunPlan): boolean {
  return inputs.seeds.origin === 'personas' || inputs.settings.taxonomy !== undefined;
}

async function continuePlan(
  before: RunPlan,
  request: SynthesisRequest,
  name: string,
  location: string | undefined,
): Promise<RunPlan> {
  const different = listDifferences(before, request);
  if (different.length > 0) {
    throw new InputError(
      [
        `${location ?? name} contains a run with other settings:`,
        ...different.map((line) => `- ${line}`),
        `Use the settings of that run to continue it, or name another --output-dir${location === undefined ? '' : ' and --store'}.`,
      ].join('\n'),
    );
  }
  return request.settings.nPersonas > before.inputs.settings.nPersonas ? growRun(before, request) : before;
}

/**
 * Plans to generate personas again.
 * @param only their numbers; absent for none
 * @param plan may have more personas than the run before, which are not generated yet
 * @throws InputError when there is no run, no such persona in it, or no description to generate
 */
export function planChosenRegeneration(
  {
    only,
    redescribe,
    outputDir,
  }: { readonly only?: readonly number[]; readonly redescribe?: true; readonly outputDir: string },
  { run }: Pick<RunFolder<RunFile, RunPlan>, 'run'>,
  before: RunPlan | undefined,
  plan: RunPlan,
): PlannedRestarts {
  if (only === undefined) return { plan, resumed: [], lines: [] };
  if (before === undefined) {
    throw new InputError(
      `${outputDir} does not contain a run, so there is no persona to regenerate. Name the folder of a run, or remove --only and --regenerate.`,
    );
  }
  const unknownPersonas = [...new Set(only)].filter((persona) => persona > before.inputs.settings.nPersonas);
  if (unknownPersonas.length > 0)
    throw new InputError(
      `--only ${formatUnknown(unknownPersonas.join(', '), before)} Name personas by these numbers.`,
    );
  if (redescribe === true && before.inputs.seeds.origin === 'personas') {
    throw new InputError(
      '--redescribe cannot be used: no model wrote the descriptions of this run, they were given with --personas. Remove --redescribe.',
    );
  }
  const finished = run !== undefined && isFinished(before, run);
  return planRegeneration(plan, { personas: only, redescribe: redescribe === true }, finished);
}
