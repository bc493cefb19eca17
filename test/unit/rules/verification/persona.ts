import type { Instance, PriorInteraction } from '../../../../schemas/dataset/instance';
import { buildSession } from '../examples';

export const ORIGINAL = 'Answers must be short.';
export const CHANGED = 'Answers must be long.';
export const CONTRAST = 'Answers must be long and formal.';
export const REQUEST = 'Write to Ms. Oduya.';

/** Builds a prior session in which the user says this after the first response. */
export function session(factor: string, preference: string, remark: string): PriorInteraction {
  const answer = 'An answer that nobody reads to its end.';
  return buildSession(factor, preference, `A request about ${factor}.`, answer, remark);
}

const FREE = ['Harbor', 'Choir', 'Garden', 'Attic'].map((factor) =>
  session(factor, `About ${factor}.`, 'Fine.'),
);
const EARLIER = [
  session('Oduya', ORIGINAL, 'She will not read that far.'),
  session('Oduya', ORIGINAL, 'Good length.'),
];
const LATER = [session('Oduya', CHANGED, 'She wants to know more now.')];
const PARTNER = [session('Ruiz', CONTRAST, 'He missed some of the details.')];

/** Builds the three instances of a persona, with as many sessions as the rules need. */
export function buildPersona(): Instance[] {
  const common = { persona_id: '1+baker', current_request: REQUEST, current_context_factor: 'Oduya' };
  const original = { current_contextual_preference: ORIGINAL, current_checklist: ['Is it short?'] };
  const changed = {
    current_contextual_preference: CHANGED,
    current_checklist: ['Is it long?', 'Is it full?'],
  };
  return [
    { ...common, instance_type: 'consistent', ...original, prior_interactions: [...EARLIER, ...FREE] },
    {
      ...common,
      instance_type: 'contrastive',
      ...original,
      prior_interactions: [...EARLIER, ...PARTNER, ...FREE.slice(2)],
    },
    {
      ...common,
      instance_type: 'changing',
      ...changed,
      prior_interactions: [...EARLIER, ...LATER, ...FREE.slice(2)],
    },
  ];
}
