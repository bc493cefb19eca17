import * as z from 'zod';
import { INSTANCE_TYPES } from './instance-type';
import { messageFormSchema, messageSchema } from './message';

const priorInteractionSchema = z.object({
  context_factor: z.string(),
  contextual_preference: z.string(),
  dialogue: z.array(messageSchema),
});
export type PriorInteraction = z.infer<typeof priorInteractionSchema>;

/** A row of CUPID and CUPID-Unverified, its fields in the published order. Key: persona_id + instance_type. */
export const instanceSchema = z.object({
  persona_id: z.string(),
  instance_type: z.enum(INSTANCE_TYPES),
  current_request: z.string(),
  current_context_factor: z.string(),
  current_contextual_preference: z.string(),
  current_checklist: z.array(z.string()),
  prior_interactions: z.array(priorInteractionSchema),
});
export type Instance = z.infer<typeof instanceSchema>;

/** A row of CUPID from any source: its columns and their types, with any values. */
export const instanceFormSchema = instanceSchema.extend({
  instance_type: z.string(),
  prior_interactions: z.array(priorInteractionSchema.extend({ dialogue: z.array(messageFormSchema) })),
});
export type InstanceForm = z.infer<typeof instanceFormSchema>;
