import * as z from 'zod';
import { INSTANCE_TYPES } from '../dataset/instance-type';
import { matchLabelSchema } from '../matching/match-label';
import { evaluatedDataSchema } from '../evaluation/evaluation-run';
import { FOLDER_FORMAT } from '../run/folder-format';
import { seedSchema } from '../run/settings';
import { ACCEPTANCE_RULES } from './acceptance-rule';

const isNotBlank = (text: string) => text.trim() !== '';

const acceptanceRuleSchema = z.enum(ACCEPTANCE_RULES);

/** Place of a message, which is the same in every instance that has the dialogue. */
const messagePlaceSchema = z.object({
  /** Opening message of its dialogue, which identifies a session across instances; null for the current request. */
  opening: z.string().nullable(),
  /** Its index in the dialogue. */
  index: z.number().int().nonnegative(),
});

/** A user's message that a rater reads, and may revise. */
const shownMessageSchema = messagePlaceSchema.extend({
  /** From 1, as shown to the rater; 0 for the current request. */
  session: z.number().int().nonnegative(),
  text: z.string(),
});
export type ShownMessage = z.infer<typeof shownMessageSchema>;

/**
 * A question to raters (paper, E): whether the user's messages express each item of a relevant preference, or whether the current request reveals
 * one of the current preference.
 */
export const reviewTaskSchema = z.object({
  /** Unique in the review: the persona, the kind, and a number from 1. */
  task: z.string(),
  kind: z.enum(['preference', 'request']),
  persona_id: z.string(),
  /** The instances that depend on it. */
  instance_types: z.array(z.enum(INSTANCE_TYPES)),
  preference: z.string(),
  checklist: z.array(z.string().min(1)).min(1),
  messages: z.array(shownMessageSchema),
  /** For each item, the passages that `cupid verify` quoted; null if the data were not verified. */
  evidence: z.array(z.array(z.string())).nullable(),
});
export type ReviewTask = z.infer<typeof reviewTaskSchema>;

const ratingSchema = z.number().int().min(1).max(7);

/** A revised message: its replacement text. */
const revisionSchema = messagePlaceSchema.extend({
  old_text: z.string(),
  new_text: z.string().refine(isNotBlank, 'the new text of a message is empty'),
});
export type Revision = z.infer<typeof revisionSchema>;

/**
 * One rater's annotation of a task: a line of `annotations/RATER.jsonl`. A later line about the same task replaces an earlier one. `preference`,
 * `checklist` and `labels` have the form of a file of human labels (`cupid eval --labels`).
 */
export const annotationSchema = z.object({
  task: z.string(),
  rater: z.string(),
  preference: z.string(),
  checklist: z.array(z.string()),
  /** For each item the rater's label: how far the messages express it. */
  labels: z.array(z.array(matchLabelSchema).length(1)),
  /** How realistic the request or the messages are: 1 (not at all) to 7. */
  realism: ratingSchema,
  /** How indirectly they hint at the preference: 1 (stated) to 7. */
  implicitness: ratingSchema,
  revisions: z.array(revisionSchema),
  /** Why the instances that depend on the task are to be left out; null to keep them. */
  rejection: z.string().refine(isNotBlank, 'the reason is empty').nullable(),
  /** ISO 8601. */
  annotated_at: z.string(),
});
export type Annotation = z.infer<typeof annotationSchema>;

/** An annotation that a rater sends. */
export type NewAnnotation = Pick<Annotation, 'task' | 'rater' | 'realism' | 'implicitness' | 'rejection'> & {
  readonly revisions: readonly Revision[];
  /** One for each item of the checklist. */
  readonly labels: readonly string[];
};

/** The settings of a review; only `third` may change later. */
export const reviewPlanSchema = z.object({
  format: z.literal(FOLDER_FORMAT),
  id: z.string(),
  data: evaluatedDataSchema,
  seed: seedSchema,
  /** The two who rate every task. */
  raters: z.array(z.string()).length(2),
  /** Decides if they differ. */
  third: z.string().nullable(),
  accept: acceptanceRuleSchema,
  /** The personas that were drawn (`--sample`); null for all. */
  sample: z
    .object({
      /** The requested number. */
      size: z.number().int().positive(),
      /** Number of personas in the data. */
      all: z.number().int().positive(),
      personas: z.array(z.string()),
    })
    .nullable(),
  tasks: z.number().int().positive(),
});
export type ReviewPlan = z.infer<typeof reviewPlanSchema>;

/** A row of `audit.parquet`: the latest annotation of a task by a rater, or of an instance by a model, with its revisions. */
export const auditRowSchema = z.object({
  /** For a model's verdicts: the persona and the type of the instance. */
  task: z.string(),
  kind: z.enum(['preference', 'request', 'instance']),
  persona_id: z.string(),
  /** A person's name, or the model's SPEC. */
  rater: z.string(),
  role: z.enum(['rater', 'third', 'model']),
  items: z.array(z.object({ item: z.string(), label: matchLabelSchema })),
  /** Null for a model, as is `implicitness`. */
  realism: z.number().int().nullable(),
  implicitness: z.number().int().nullable(),
  rejection: z.string().nullable(),
  revisions: z.array(revisionSchema),
  /** ISO 8601; null for a model. */
  annotated_at: z.string().nullable(),
  /** `page` for a person's annotation, `verify` for a model's verdicts. */
  source: z.enum(['page', 'verify']),
  /** The outcome of the task. */
  outcome: z.enum(['sound', 'rejected', 'open']),
});
export type AuditRow = z.infer<typeof auditRowSchema>;

/** The files of a finished review, in its folder. */
export const REVIEW_FILES = {
  rows: 'CUPID/test.parquet',
  card: 'CUPID/README.md',
  audit: 'audit.parquet',
} as const;
