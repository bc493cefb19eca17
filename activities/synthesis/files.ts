import type { PersonaTemplate } from '../../schemas/persona';
import type { RunInputs } from '../../schemas/run';
import type { Asking, SynthesisSettings } from '../../schemas/settings';
import type { ModelRole, SynthesisStep } from '../../schemas/step';
import type { RunFiles, World } from '../world';

/** A synthesis run as its activities see it. */
export interface SynthesisFiles extends RunFiles {
  readonly settings: SynthesisSettings;
  readonly seeds: RunInputs['seeds'];
  /** By persona number. */
  readonly templates: ReadonlyMap<number, PersonaTemplate>;
  readonly codeVersion: string;
  /** A folder of this machine for files on their way to the store. */
  readonly scratch: string;
}

export type SynthesisWorld = World<SynthesisFiles>;

/** How a step of this run is asked, and of whom: to be spread into its question. */
export function stepOf(
  { settings }: SynthesisFiles,
  step: SynthesisStep,
): { readonly step: SynthesisStep; readonly spec: string; readonly limits: Asking } {
  return { step, spec: settings.models[ROLES[step]], limits: settings.steps[step] };
}

const ROLES: Readonly<Record<SynthesisStep, ModelRole>> = {
  describe: 'synthesis',
  factors: 'synthesis',
  journey: 'synthesis',
  checklist: 'synthesis',
  user: 'user',
  assistant: 'assistant',
};
