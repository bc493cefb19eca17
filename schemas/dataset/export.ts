import * as z from 'zod';
import { EXPORT_FORMATS } from './export-format';

const count = z.number().int().nonnegative();

/** A file that was written, or all files of one kind. */
const writtenPartSchema = z.object({
  /** Relative to the folder; `*` stands for several files. */
  path: z.string(),
  files: count,
  /** Absent for files without rows. */
  rows: count.optional(),
  bytes: count,
});
export type WrittenPart = z.infer<typeof writtenPartSchema>;

/** Output of `cupid export --json`. */
export const exportReportSchema = z.object({
  format: z.enum(EXPORT_FORMATS),
  /** The exported data: a file, a folder, `hub:owner/name@commit`. */
  source: z.string(),
  folder: z.string(),
  /** Tokens to which the histories are extended; absent for the data's own. */
  history: z.string().optional(),
  instances: count.optional(),
  records: count.optional(),
  /** Samples of training data. */
  samples: count.optional(),
  /** Scores of an evaluation. */
  scores: count.optional(),
  /** Absent if unknown. */
  simulated: z.boolean().optional(),
  parts: z.array(writtenPartSchema),
  /** Notes for the reader, one sentence each. */
  notes: z.array(z.string()),
});
export type ExportReport = z.infer<typeof exportReportSchema>;

/** Output of `cupid import --json`. */
export const importReportSchema = z.object({
  source: z.string(),
  folder: z.string(),
  /** Absent if there were none. */
  instances: count.optional(),
  records: count.optional(),
  /** `persona_id` of personas without a data file, which are in no record. */
  personasWithoutData: z.array(z.string()),
  simulated: z.boolean(),
  license: z.string(),
  parts: z.array(writtenPartSchema),
  notes: z.array(z.string()),
});
export type ImportReport = z.infer<typeof importReportSchema>;
