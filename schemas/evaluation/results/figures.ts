import * as z from 'zod';
import { intervalSchema } from '../../dataset/data-figures';

export const count = z.number().int().nonnegative();

/** Results of a cell's rows, or of a part of them; null if none counts, and for the numbers of other tasks. */
export const numbersSchema = z.object({
  /** Instances that count: scored, or too long for the model, which counts as a result of 0. */
  n_instances: count,
  /** Micro averages, from 0 to 1. */
  precision: z.number().nullable(),
  recall: z.number().nullable(),
  f1: z.number().nullable(),
  /** Mean of the instances' F1. */
  macro_f1: z.number().nullable(),
  /** Mean of the judge's scores, 1 to 10, with 0 if the history was too long. */
  average_score: z.number().nullable(),
  /** Shares of right choices, and of personas with both choices of the pair right. */
  accuracy: z.number().nullable(),
  paired_accuracy: z.number().nullable(),
});
export type Numbers = z.infer<typeof numbersSchema>;

/** Difference of two values, in the unit of the values. */
export const differenceSchema = z.object({
  /** The value minus the other one. */
  difference: z.number(),
  /** 95 %; null if one of the two has fewer than two personas. */
  interval: intervalSchema.nullable(),
});
export type Difference = z.infer<typeof differenceSchema>;

/** Pearson's r over n points, and the two-sided probability of an r at least this far from 0 if x and y are unrelated. */
export const correlationSchema = z.object({
  n: count,
  /** From −1 to 1; null with fewer than three points (two always lie on a line) or when x or y is constant. */
  r: z.number().nullable(),
  /** From Student's t with n − 2 degrees of freedom; null where r is. */
  p: z.number().nullable(),
});
export type Correlation = z.infer<typeof correlationSchema>;

/** Krippendorff's alpha of match labels, as categories and as an order; null where it is not defined. */
export const labelAgreementSchema = z.object({
  nominal: z.number().nullable(),
  ordinal: z.number().nullable(),
});
export type LabelAgreement = z.infer<typeof labelAgreementSchema>;

/** Krippendorff's alpha of responses × scores. The ordinal level uses the order of scores only, the interval level also their distances. */
export const scoreAgreementSchema = z.object({
  ordinal: z.number().nullable(),
  interval: z.number().nullable(),
});
export type ScoreAgreement = z.infer<typeof scoreAgreementSchema>;
