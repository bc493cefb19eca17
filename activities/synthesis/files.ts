import type { PlannedPersona } from '../../schemas/dataset/persona';
import type { RunInputs } from '../../schemas/run/run';
import type { SynthesisSettings } from '../../schemas/run/settings';
import type { RunFiles, World } from '../world';

/** A synthesis run as its activities see it. */
export interface SynthesisFiles extends RunFiles {
  readonly settings: SynthesisSettings;
  readonly seeds: RunInputs['seeds'];
  /** By persona number. */
  readonly templates: ReadonlyMap<number, PlannedPersona>;
  readonly codeVersion: string;
  /** A folder of this machine for files on their way to the store. */
  readonly scratch: string;
}

export type SynthesisWorld = World<SynthesisFiles>;
