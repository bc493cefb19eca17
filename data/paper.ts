import * as z from 'zod';
import { ERROR_TYPES } from '../schemas/evaluation/evaluation';
import { CONTEXTS, HISTORY_FORMS } from '../schemas/evaluation/context';
import type { EvaluatedData } from '../schemas/evaluation/evaluation-run';
import { INSTANCE_TYPES } from '../schemas/dataset/instance-type';
import { removeRegion } from '../schemas/model/model-spec';
import { modelSpecSchema } from '../schemas/model/model-spec-schema';
import { PUBLISHED_DATA } from './published-data';
import results from './paper/results.json';

/** Groups that the paper averages over: all instances, or those of one type. */
export const GROUPS = ['all', ...INSTANCE_TYPES] as const;
export type InstanceGroup = (typeof GROUPS)[number];

/** From 0 to 1; the paper prints percentages with one decimal. */
const share = z.number().min(0).max(1);
const matchScoresSchema = z.strictObject({ precision: share, recall: share, f1: share });
const judgeScore = z.number().min(1).max(10);

/** By the context given to the model; for the oracle contexts, the paper reports only all instances. */
const inferenceSchema = z.partialRecord(z.enum(CONTEXTS), z.partialRecord(z.enum(GROUPS), matchScoresSchema));

const paperModelSchema = z.strictObject({
  /** As the paper names it. */
  name: z.string(),
  /** Table 8. */
  version: z.string().nullable(),
  api: z.string(),
  parameters: z.string(),
  /** SPECs here that ask the very same model, by `modelName`: ours, not the paper's. */
  specs: z.array(modelSpecSchema).min(1),
  inference: z.strictObject({
    /** Tables 1 and 9, matched by GPT-4o. */
    evaluator: inferenceSchema,
    /** Table 11, matched by PrefMatcher-7B. */
    prefmatcher: inferenceSchema,
  }),
  /** Tables 3 and 10: mean scores from 1 to 10. */
  generation: z.partialRecord(z.enum(HISTORY_FORMS), z.partialRecord(z.enum(GROUPS), judgeScore)),
});
export type PaperModel = z.infer<typeof paperModelSchema>;

/** Pearson's r over the ten models, and its p as printed. */
const correlationSchema = z.strictObject({ r: z.number().min(-1).max(1), p: z.string() });

const paperSchema = z.strictObject({
  title: z.string(),
  url: z.url(),
  /** Decomposes, matches and judges. */
  evaluator: modelSpecSchema,
  matcher: z.string(),
  /**
   * SHA-256 of each prompt of the authors' program by its name in a pack: over its texts as a JSON list, each run of white space as one
   * space.
   */
  prompts: z.record(z.string(), z.string().regex(/^[0-9a-f]{64}$/)),
  models: z.array(paperModelSchema),
  correlations: z.strictObject({
    /** F1 matched by GPT-4o against F1 matched by PrefMatcher-7B (figure 4). */
    matchers: correlationSchema,
    /** Inference against generation (figure 5). */
    tasks: correlationSchema,
  }),
  /** Krippendorff's alpha (A.1): of each matcher with the majority of people, and of people among themselves. */
  agreement: z.strictObject({
    alpha: z.strictObject({ evaluator: z.number(), prefmatcher: z.number() }),
    people: z.number(),
  }),
  /** Error types in sampled inferences with an F1 below 0.2 (table 2). */
  errors: z.array(
    z.strictObject({
      model: z.string(),
      sampled: z.number().int(),
      shares: z.record(z.enum(ERROR_TYPES), share),
    }),
  ),
  /**
   * Counts and means of the data set (3.3). The paper defines neither turn nor tokenizer; we count each message of either side as a turn.
   */
  data: z.strictObject({
    personas: z.number().int(),
    instances: z.number().int(),
    preferenceTokens: z.number(),
    checklistEntries: z.number(),
    dialogueTurns: z.number(),
    dialogueTokens: z.number(),
    priorTokens: z.number(),
  }),
  /** Review by people (3.2): how realistic they found the requests, from 1 to `most`. */
  review: z.strictObject({
    realism: z.strictObject({ mean: z.number(), deviation: z.number(), most: z.number().int() }),
  }),
});
type PaperNumbers = z.infer<typeof paperSchema>;

/** Returns whether the paper's numbers describe these data: its data set from the Hub, with as many instances as the paper reports. */
export function isPaperData({ source, instances }: Pick<EvaluatedData, 'source' | 'instances'>): boolean {
  return source.startsWith(`hub:${PUBLISHED_DATA}@`) && instances === readPaperNumbers().data.instances;
}

let numbers: PaperNumbers | undefined;

/** Reads the paper's numbers: tables 1 to 3 and 8 to 11, figures 4 and 5, agreement (A.1), ratings (3.2) and statistics (3.3). */
export function readPaperNumbers(): PaperNumbers {
  numbers ??= paperSchema.parse(results);
  return numbers;
}

/**
 * Finds the paper's model for a SPEC or its modelName; undefined unless it is the same version at a provider that serves that version.
 * `gpt-4o` without a date may change, and any server can use any name. Only DeepSeek-R1 has a name without a version, as in the paper:
 * Together may serve a later version under it.
 */
export function findPaperModel(spec: string): PaperModel | undefined {
  const name = removeRegion(spec);
  return readPaperNumbers().models.find(({ specs }) => specs.includes(name));
}
