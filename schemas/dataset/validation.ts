import * as z from 'zod';
import { dataFiguresSchema } from './data-figures';

/**
 * Rules for data sets, by name. `form` must hold in every data set of CUPID's form. `structure` (paper, B.3 and B.5) must hold in ours, and is a
 * warning for others. Findings of `notice` are for people to check, and never errors.
 */
export const VALIDATION_RULES = {
  // Files and columns
  'no-rows': 'form',
  'unreadable-row': 'form',
  'missing-column': 'form',
  'repeated-column': 'form',
  'unknown-column': 'form',
  'column-type': 'form',
  // Every row
  'field-form': 'form',
  'empty-text': 'form',
  'malformed-unicode': 'form',
  'roles-alternate': 'form',
  'unique-key': 'form',
  // Instances of a persona
  'prior-count': 'structure',
  'one-of-each-type': 'structure',
  'same-request': 'structure',
  'original-preference': 'structure',
  'changed-preference': 'structure',
  'current-factor-sessions': 'structure',
  'contrastive-present': 'structure',
  'contrastive-absent': 'structure',
  'repeated-session': 'structure',
  'shared-sessions': 'structure',
  // Records of personas
  'persona-id': 'structure',
  'contrastive-pair': 'structure',
  'journey-structure': 'structure',
  'session-factor': 'structure',
  'session-checklist': 'structure',
  'one-dialogue-a-session': 'structure',
  'opening-message': 'structure',
  'satisfied-ending': 'structure',
  // Data sets of one run against each other, and against their card
  'instances-of-record': 'structure',
  'provenance-of-instance': 'structure',
  'card-of-data': 'structure',
  'arrow-copy': 'structure',
  'benchmark-of-data': 'structure',
  'same-canary': 'structure',
  'missing-file': 'structure',
  // For people to look at
  'no-canary': 'notice',
  'column-order': 'notice',
  'factor-quality': 'notice',
  'journey-quality': 'notice',
  'dialogue-quality': 'notice',
  'reasoning-in-text': 'notice',
  'early-endings': 'notice',
  'preference-in-request': 'notice',
  'choice-shortcut': 'notice',
  'nearly-equal-options': 'notice',
  'near-duplicate-persona': 'notice',
  'near-duplicate-request': 'notice',
} as const satisfies Readonly<Record<string, 'form' | 'structure' | 'notice'>>;
export type ValidationRule = keyof typeof VALIDATION_RULES;

const severitySchema = z.enum(['error', 'warning']);
export type Severity = z.infer<typeof severitySchema>;

/** A violation of a rule: its place, what was expected, what was found, and how to fix it. */
const findingSchema = z.object({
  rule: z.custom<ValidationRule>((name) => typeof name === 'string' && name in VALIDATION_RULES),
  severity: severitySchema,
  /** Name of the file in messages. */
  file: z.string(),
  /** From 1; in JSON lines, the line. Absent if it concerns the whole file. */
  row: z.number().int().positive().optional(),
  persona_id: z.string().optional(),
  instance_type: z.string().optional(),
  /** `prior_interactions[2].dialogue[3].role` */
  field: z.string().optional(),
  message: z.string(),
});
export type Finding = z.infer<typeof findingSchema>;

/** Findings in one data set. */
const validatedDataSetSchema = z.object({
  kind: z.enum(['instances', 'records']),
  source: z.string(),
  /** True if this program wrote it: violations of its structure are errors. */
  isGenerated: z.boolean(),
  simulated: z.boolean().optional(),
  rows: z.number().int(),
  personas: z.number().int(),
  errors: z.number().int(),
  warnings: z.number().int(),
  /** Number of violations of each violated rule. */
  counts: z.partialRecord(z.string(), z.number().int()),
  /** The worst ones; `counts` covers all. */
  findings: z.array(findingSchema),
});
export type ValidatedDataSet = z.infer<typeof validatedDataSetSchema>;

/** Output of `cupid validate --json`. */
export const validationReportSchema = z.object({
  dataSets: z.array(validatedDataSetSchema),
  /** Over the well-formed rows of all data sets together. */
  figures: dataFiguresSchema,
  errors: z.number().int(),
  warnings: z.number().int(),
});
export type ValidationReport = z.infer<typeof validationReportSchema>;
