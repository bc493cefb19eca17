import { taxonomySchema } from '../../schemas/dataset/taxonomy';
import { describeIssues } from '../../schemas/text/issues';
import {
  synthesisSettingsFileSchema,
  synthesisSettingsSchema,
  type RequestedSettings,
} from '../../schemas/run/settings';
import { SYNTHESIS_STEPS } from '../../schemas/run/step';
import { InputError } from '../../schemas/input-error';
import { readYamlOption } from '../plan/yaml-option';

/** Options of a synthesis run for its settings. */
export interface SynthesisOptions {
  readonly model: string;
  readonly userModel?: string;
  readonly assistantModel?: string;
  readonly nPersonas?: number;
  readonly nFactors: number;
  readonly nSessions: number;
  readonly maxTurns: number;
  readonly seed: number;
  /** Path of a file, like `settings`. */
  readonly taxonomy?: string;
  readonly settings?: string;
  readonly requireSatisfied?: 'relevant' | 'all';
}

/** Reads the settings from a command line and its settings file. @throws InputError */
export async function readSynthesisSettings(options: SynthesisOptions): Promise<RequestedSettings> {
  const file = await readYamlOption(synthesisSettingsFileSchema, options.settings, 'settings', SETTINGS_HINT);
  const taxonomy = await readYamlOption(taxonomySchema, options.taxonomy, 'taxonomy', TAXONOMY_HINT);
  const settings = {
    ...file,
    ...(taxonomy === undefined ? {} : { taxonomy }),
    seed: options.seed,
    nPersonas: options.nPersonas,
    nFactors: options.nFactors,
    nSessions: options.nSessions,
    maxTurns: options.maxTurns,
    requireSatisfied: options.requireSatisfied ?? 'none',
    models: {
      synthesis: options.model,
      user: options.userModel ?? options.model,
      assistant: options.assistantModel ?? options.model,
    },
  };
  const parsed = synthesisSettingsSchema.safeParse(settings);
  if (parsed.success) return { ...parsed.data, quality: file?.quality, nPersonas: options.nPersonas };
  throw new InputError(describeIssues('The command line', parsed.error, settings));
}

const TAXONOMY_HINT = `A taxonomy file has three lists of at least two types each; for example:
factor_types: [Person, Place, Tool]
task_types: [Planning, Writing]
preference_types: [Tone, Depth, Format]`;

const SETTINGS_HINT = `A settings file may contain quality (strict or reference), stallTurns and, under steps, ${SYNTHESIS_STEPS.join(', ')}; for example:
steps:
  user: { temperature: 0.3, maxTokens: 8192, maxRepairs: 4, maxSamples: 2 }`;
