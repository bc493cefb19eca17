import * as z from 'zod';
import { mapValues } from '../map-values';
import { labelledPairSchema } from '../matching/labelled-pair';
import { modelSpecSchema } from '../model/model-spec-schema';
import { HISTORY_FORMS } from './context';
import { chosenPersonasSchema, matcherSchema } from './evaluation';
import { STRESS_KINDS } from './stress';

const trialKeyShape = {
  instance: z.number().int().positive(),
  model: z.number().int().positive(),
  context: z.enum(HISTORY_FORMS),
};

const responseShape = {
  ...trialKeyShape,
  judge: z.number().int().positive(),
  /** Reference to the response among the trial's answers. */
  response: z.string(),
};

/** A response to be judged again. */
const repeatsWorkSchema = z.object({
  kind: z.literal('repeats'),
  ...responseShape,
  /** Number of times that the response is judged in total, including the first time. */
  times: z.number().int().min(2),
});
type RepeatsWork = z.infer<typeof repeatsWorkSchema>;

/** A response to be judged on the preference and the checklist of another row with the same request. */
const crossedWorkSchema = z.object({
  kind: z.literal('crossed'),
  ...responseShape,
  /** The other row. */
  row: z.number().int().positive(),
});
export type CrossedWork = z.infer<typeof crossedWorkSchema>;

/** A response to a contrastive row, to be judged on the preference of the contrastive context, which does not apply. */
const misappliedWorkSchema = z.object({ kind: z.literal('misapplied'), ...responseShape });
type MisappliedWork = z.infer<typeof misappliedWorkSchema>;

/** An inference whose error is to be classified. */
const errorWorkSchema = z.object({
  kind: z.literal('error'),
  ...trialKeyShape,
  labeller: z.number().int().positive(),
  /** Reference to the inference among the trial's answers. */
  inference: z.string(),
});
type ErrorWork = z.infer<typeof errorWorkSchema>;

/** A labeled pair that is to be matched. */
const pairWorkSchema = z.object({
  kind: z.literal('pair'),
  /** Derived from its texts, so that the pair is the same in any file and line. */
  id: z.string(),
  preference: z.string(),
  checklist: z.array(z.string()),
  matcher: z.object({ number: z.number().int().positive(), form: matcherSchema.shape.form }),
});
export type PairWork = z.infer<typeof pairWorkSchema>;

/** A persona whose instances are verified. */
const verificationWorkSchema = z.object({
  kind: z.literal('verification'),
  /** The rows of its instances. */
  rows: z.array(z.number().int().positive()).min(1),
  verifier: z.number().int().positive(),
  /** 2 for the repeated sample, which shows the verifier's agreement with itself. */
  round: z.union([z.literal(1), z.literal(2)]),
  /** Number of calls of each kind for its questions (rules/method/verification-questions.ts): one for all, or one for each request. */
  expressions: z.number().int(),
  guesses: z.number().int(),
  contradictions: z.number().int(),
});
export type VerificationWork = z.infer<typeof verificationWorkSchema>;

/** One piece of a study. The texts of a pair are read by its id. */
export type StudyWork =
  | RepeatsWork
  | CrossedWork
  | MisappliedWork
  | ErrorWork
  | Omit<PairWork, 'preference' | 'checklist'>
  | VerificationWork;

/** The personas to verify: a sample of so many of the chosen ones; null for all. */
const verificationRequestSchema = z.object({
  sample: z.number().int().positive().nullable(),
  ...chosenPersonasSchema.shape,
});
export type VerificationRequest = z.infer<typeof verificationRequestSchema>;

/**
 * The studies besides the scores: of each, its option of `cupid eval`, what a command asks of it, and its sample, whose work has calls of its
 * own. A verification has a command of its own. `runs/evaluate/studies.ts` draws and reads them.
 */
export const STUDIES = {
  errors: {
    option: 'errors',
    asked: z.object({ count: z.number().int(), labeler: modelSpecSchema }),
    /** Errors of `count` inferences per cell with an F1 below 0.2, and the model that classifies them. */
    drawn: z.object({
      count: z.number().int().positive(),
      labeler: modelSpecSchema,
      /** The sampled rows, by everything that identifies them: one sample per cell, independent of the other cells. */
      sample: z.array(z.string()),
      work: z.array(errorWorkSchema),
    }),
  },
  repeats: {
    option: 'judgeRepeats',
    /** Number of times that a sampled response is judged, in total. */
    asked: z.number().int(),
    drawn: z.object({ times: z.number().int().min(2), work: z.array(repeatsWorkSchema) }),
  },
  labels: {
    option: 'labels',
    /** SHA-256 of the file of labeled pairs. */
    asked: z.string(),
    /** Preference-checklist pairs with people's labels, for comparison with the matchers. */
    drawn: z.object({
      source: z.string(),
      sha256: z.string(),
      pairs: z.array(labelledPairSchema),
      work: z.array(pairWorkSchema),
    }),
  },
  stress: {
    option: 'stress',
    /** Number of personas in the sample. */
    asked: z.number().int().positive(),
    /** Preferences and responses whose truth is known, of the first `count` personas that are drawn. */
    drawn: z.object({
      count: z.number().int().positive(),
      /** Each preference that is matched with the true checklist of its persona, and the pair that they make. */
      cases: z.array(z.object({ persona_id: z.string(), kind: z.enum(STRESS_KINDS), pair: z.string() })),
      /** The tested judges, also those without a response to test them on. */
      judges: z.array(z.number().int().positive()),
      work: z.array(z.discriminatedUnion('kind', [pairWorkSchema, crossedWorkSchema])),
    }),
  },
  misapplication: {
    option: 'misapplication',
    asked: z.literal(true),
    /** Responses to contrastive rows. */
    drawn: z.object({
      /** Number of responses whose contrastive preference the data set does not show. */
      missingContrasts: z.number().int(),
      work: z.array(misappliedWorkSchema),
    }),
  },
  verification: {
    asked: verificationRequestSchema,
    /** The verified personas, and a sample that is verified twice. */
    drawn: z.object({
      ...verificationRequestSchema.shape,
      work: z.array(verificationWorkSchema),
      /** Number of personas that only earlier commands chose, whose verdicts are kept. */
      earlierPersonas: z.number().int(),
    }),
  },
} as const;
export type StudyKind = keyof typeof STUDIES;
/** A study that is an option of `cupid eval`. */
export type OptionalStudyKind = Exclude<StudyKind, 'verification'>;

/** Requests for each study, as a command stores them. */
export const askedStudiesSchema = z.object(pickSchemas('asked')).partial();
export type AskedStudies = z.infer<typeof askedStudiesSchema>;

/** The studies as sampled by the last command that asked for them. */
export const studiesSchema = z.object(pickSchemas('drawn')).partial();
export type Studies = z.infer<typeof studiesSchema>;
export const STUDY_KINDS: readonly StudyKind[] = studiesSchema.keyof().options;
export const OPTIONAL_STUDY_KINDS = STUDY_KINDS.filter((kind) => kind !== 'verification');

/** Formats the option that asks for a study. */
export function formatStudyOption(kind: OptionalStudyKind): string {
  return `--${STUDIES[kind].option.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;
}

/** A piece of a study with its texts, as stored. */
type DrawnWork = NonNullable<Studies[StudyKind]>['work'][number];

/** Lists the work of these studies, in order. */
export function listStudyWork(studies: Studies, kinds: readonly StudyKind[] = STUDY_KINDS): DrawnWork[] {
  return kinds.flatMap((kind): DrawnWork[] => studies[kind]?.work ?? []);
}

/** Returns the schema of this name of each study. */
function pickSchemas<Name extends 'asked' | 'drawn'>(
  name: Name,
): { readonly [Kind in StudyKind]: (typeof STUDIES)[Kind][Name] };
function pickSchemas(name: 'asked' | 'drawn'): Record<string, z.ZodType> {
  return mapValues(STUDIES, (study) => study[name]);
}
