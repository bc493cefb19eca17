import * as z from 'zod';

const notBlank = z.string().refine((text) => text.trim() !== '', 'must not be blank');

/** A planned interaction session of a journey (paper, B.3), as answered by the journey step. */
export const plannedSessionSchema = z.object({
  id: z.number().int().positive(),
  context_factor: z.string().trim().min(1),
  preference: z.string().trim().min(1),
  /** From the run's taxonomy. */
  task_type: z.string().trim().min(1),
  story: z.string().trim().min(1),
  request_with_factor_and_preference: z.string().trim().min(1),
  /** The user's message, as written; may contain `[resource]`, which stands for `resource`. */
  request_with_factor: notBlank,
  resource: notBlank.optional(),
});
export type PlannedSession = z.infer<typeof plannedSessionSchema>;

/** A preference decomposed into questions (paper, 2.3); at most four. */
export const checklistSchema = z.array(z.string().trim().min(1)).min(1).max(4);
export type Checklist = z.infer<typeof checklistSchema>;

/** A session of a persona's record: planned, then its preference decomposed. */
export const sessionSchema = plannedSessionSchema.extend({ checklist: checklistSchema });
export type Session = z.infer<typeof sessionSchema>;

/** Role of a session in the journey: whose preference it has (paper, B.3). */
const sessionRoleSchema = z.enum(['A', "A'", 'B', 'free']);
export type SessionRole = z.infer<typeof sessionRoleSchema>;

/** The drawn structure of a journey: the role of every session (index 0 is session 1). The last is always A'. */
export const journeyStructureSchema = z.array(sessionRoleSchema).min(9);
export type JourneyStructure = z.infer<typeof journeyStructureSchema>;
