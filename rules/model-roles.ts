import type { ModelRole, SynthesisStep } from '../schemas/step';

/** Which of the three models a step of synthesis asks (paper, B). */
export const ROLE_OF: Readonly<Record<SynthesisStep, ModelRole>> = {
  describe: 'synthesis',
  factors: 'synthesis',
  journey: 'synthesis',
  checklist: 'synthesis',
  user: 'user',
  assistant: 'assistant',
};
