import * as z from 'zod';
import { shareSchema } from '../dataset/data-figures';
import { INSTANCE_TYPES } from '../dataset/instance-type';
import { matchLabelSchema } from '../matching/match-label';
import { evaluatedDataSchema } from '../evaluation/evaluation-run';
import { modelSpecSchema } from '../model/model-spec-schema';

/** How far the user's messages express an item of a checklist. */
export const EXPRESSION_RATINGS = ['Fully', 'Partly', 'Not at all'] as const;
export type ExpressionRating = (typeof EXPRESSION_RATINGS)[number];

/** Whether one response can satisfy two preferences. */
export const CONTRADICTION_VERDICTS = ['Contradictory', 'Compatible'] as const;
export type ContradictionVerdict = (typeof CONTRADICTION_VERDICTS)[number];

/** `unknown` if a call gave no usable answer, or the data do not contain what is to be compared. */
export const VERDICTS = ['yes', 'no', 'unknown'] as const;
const verdictSchema = z.enum(VERDICTS);
export type Verdict = z.infer<typeof verdictSchema>;

/** Role of a preference for an instance (paper, 3.1): the current one, the one before a change, or that of the contrastive factor. */
const preferenceRoleSchema = z.enum(['current', 'original', 'contrastive']);
export type PreferenceRole = z.infer<typeof preferenceRoleSchema>;

/** Evidence of one checklist item in the user's messages. */
const itemEvidenceSchema = z.object({
  role: preferenceRoleSchema,
  preference: z.string(),
  item: z.string(),
  /** Null if the call gave no usable answer. A rating without a quotation of a user's message is `Not at all`. */
  rating: z.enum(EXPRESSION_RATINGS).nullable(),
  /** Passages of the user's messages, as the model quoted them. */
  quotations: z.array(z.string()),
  /** Quotations that occur in none of the user's messages, and do not count. */
  rejected_quotations: z.array(z.string()),
  explanation: z.string().nullable(),
});
export type ItemEvidence = z.infer<typeof itemEvidenceSchema>;

/**
 * A row of `verification.parquet`, its columns in order: a model's verdicts on an instance (paper, 3.2), and the evidence. Key: persona_id,
 * instance_type.
 */
export const verificationRowSchema = z.object({
  persona_id: z.string(),
  instance_type: z.enum(INSTANCE_TYPES),
  /** True if every applicable verdict is `yes`. */
  accepted: z.boolean(),
  /** Whether the prior sessions express every item of every relevant preference. */
  solvable: verdictSchema,
  /** Whether the current request reveals no item of the current preference. */
  challenging: verdictSchema,
  /** Whether no response satisfies both the current and the other relevant preference; null for a consistent instance, which has no other. */
  contrasting: verdictSchema.nullable(),
  items: z.array(itemEvidenceSchema),
  current_request: z.string(),
  /** The expected response as far as the request reveals it; empty for nothing, null if the call gave no usable answer. */
  guess: z.string().nullable(),
  current_contextual_preference: z.string(),
  current_checklist: z.array(z.string()),
  /** How far the guess covers each item of the current checklist; null if that is not known, or nothing was guessed. */
  guess_labels: z.array(matchLabelSchema).nullable(),
  /** The preference that the current one must contradict; null if there is none, or it was not found. */
  other_preference: z.string().nullable(),
  contradiction: z.string().nullable(),
  /** The verdicts of the second verification, for the repeated sample; else null. */
  solvable_again: verdictSchema.nullable(),
  challenging_again: verdictSchema.nullable(),
  contrasting_again: verdictSchema.nullable(),
  /** Why a verdict is unknown. */
  unknown_causes: z.array(z.string()),
  verifier: z.string(),
  /** Models as named in their responses, sorted, without duplicates. */
  answered_by: z.array(z.string()),
  /** True if the verifier, or a model that made the instance, is known to be simulated. */
  simulated: z.boolean(),
});
export type VerificationRow = z.infer<typeof verificationRowSchema>;

/** The verdicts on one instance, as counted and kept in memory. */
export const countedVerdictsSchema = verificationRowSchema.pick({
  persona_id: true,
  instance_type: true,
  accepted: true,
  solvable: true,
  challenging: true,
  contrasting: true,
  solvable_again: true,
  challenging_again: true,
  contrasting_again: true,
});
export type CountedVerdicts = z.infer<typeof countedVerdictsSchema>;

const count = z.number().int().nonnegative();
const verdictCountsSchema = z.object({ yes: count, no: count, unknown: count });

const verificationSummarySchema = z.object({
  n_instances: count,
  accepted: count,
  /** Not accepted, because a verdict is `no`. */
  rejected: count,
  /** Not accepted, because a verdict is unknown and none is `no`. */
  undecided: count,
  verdicts: z.object({
    solvable: verdictCountsSchema,
    challenging: verdictCountsSchema,
    contrasting: verdictCountsSchema,
  }),
});
export type VerificationSummary = z.infer<typeof verificationSummarySchema>;

const repeatedVerdictsSchema = z.object({ compared: count, equal: count });

/** Agreement of the verifier with itself, over verdicts that it reached both times. */
const selfAgreementSchema = z.object({
  n_personas: count,
  verdicts: z.object({
    solvable: repeatedVerdictsSchema,
    challenging: repeatedVerdictsSchema,
    contrasting: repeatedVerdictsSchema,
  }),
  /** Share of all verdicts; null if none was reached twice. */
  share: z.number().nullable(),
});
export type SelfAgreement = z.infer<typeof selfAgreementSchema>;

/**
 * Baseline of preference inference: how much of the true checklists a model infers without any history. It is the share of items that the current
 * request covers, with partly covered ones as half. The interval of 95 % is over personas.
 */
const requestRecallSchema = shareSchema.omit({ count: true }).extend({
  /** The sum of the items' labels: 1, 0.5 or 0 each. */
  matched: z.number().nonnegative(),
});

/** The form of `verification.json`. A new one gets the next number and a reader of this one. */
export const VERIFICATION_FORMAT = 2;

/** `verification.json`: the verifier, the verified data, and the result. */
export const verificationResultsSchema = z.object({
  format: z.literal(VERIFICATION_FORMAT),
  /** True if the data or the verifier are simulated: the verdicts then say nothing about real data. */
  simulated: z.boolean(),
  /** SPEC of the model. */
  verifier: modelSpecSchema,
  data: evaluatedDataSchema,
  seed: z.number().int(),
  prompts: z.object({ source: z.string(), hash: z.string() }),
  /** Number of sampled personas, and of all. */
  personas: z.object({ verified: count, all: count }),
  all: verificationSummarySchema,
  /** By instance type; types without rows are left out. */
  by_type: z.partialRecord(z.enum(INSTANCE_TYPES), verificationSummarySchema),
  self_agreement: selfAgreementSchema,
  /** Null if no request has a usable answer. */
  request_recall: requestRecallSchema.nullable(),
});
export type VerificationResults = z.infer<typeof verificationResultsSchema>;

export const VERIFICATION_FILES = { summary: 'verification.json', rows: 'verification.parquet' } as const;

/** Folder, in the run's folder, for the results of `cupid verify` on a run's data. */
export const VERIFICATION_FOLDER = 'verification';
