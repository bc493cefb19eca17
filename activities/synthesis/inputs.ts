import type { SynthesisRun } from '../../rules/method/synthesis-answers';
import type { RunInputs } from '../../schemas/run/run';
import type { SynthesisSettings } from '../../schemas/run/settings';
import type { RunFiles, World } from '../world';

export interface SynthesisFiles extends RunFiles, SynthesisRun {
  readonly id: string;
  readonly settings: SynthesisSettings;
  readonly seeds: RunInputs['seeds'];
  readonly codeVersion: string;
  /** Local folder for files on their way to the store. */
  readonly scratch: string;
}

export type SynthesisWorld = World<SynthesisFiles>;
