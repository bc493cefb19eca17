import { deriveSeedPlace } from '../../journal/revisions';
import { buildWorkId } from '../../journal/key';
import { ROLE_OF } from '../../model-facts/roles';
import type { PersonaTemplate } from '../../schemas/persona';
import type { RunInputs } from '../../schemas/run';
import type { SynthesisSettings } from '../../schemas/settings';
import type { SynthesisStep } from '../../schemas/step';
import type { Question } from '../ask-model';
import type { RunFiles, World } from '../world';
import type { Place } from './inputs';

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

/**
 * How a step of this run is asked, and of whom: to be spread into its question.
 * @param work whose call it is: the run's own, a persona's, or a dialogue's
 */
export function buildStepQuestion(
  { id, settings }: SynthesisFiles,
  step: SynthesisStep,
  { generation, ask, spec }: Place,
  work: readonly [] | readonly [persona: number] | readonly [persona: number, session: number],
): Pick<Question<unknown>, 'workflowId' | 'step' | 'spec' | 'limits' | 'generation' | 'ask' | 'place'> {
  const [persona, session] = work;
  return {
    workflowId: buildWorkId(id, { persona, session }),
    step,
    spec: spec ?? settings.models[ROLE_OF[step]],
    limits: settings.steps[step],
    generation,
    ask,
    place: deriveSeedPlace(work, generation),
  };
}
