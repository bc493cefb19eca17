import { z } from 'zod';
import { EXPORT_FORMATS } from './export-format';

const count = z.number().int().nonnegative();

/** A file, or all files of one kind, that were written. */
const writtenPartSchema = z.object({
  /** From the folder; with `*` where it stands for several. */
  path: z.string(),
  files: count,
  /** Absent for what holds none. */
  rows: count.optional(),
  bytes: count,
});
export type WrittenPart = z.infer<typeof writtenPartSchema>;

/** What `cupid export --json` prints. */
export const exportReportSchema = z.object({
  format: z.enum(EXPORT_FORMATS),
  /** What was exported, as data sets are named: a file, a folder, `hub:owner/name@commit`. */
  source: z.string(),
  folder: z.string(),
  instances: count.optional(),
  records: count.optional(),
  /** Of training data: the samples. */
  samples: count.optional(),
  /** Absent where unknown. */
  simulated: z.boolean().optional(),
  parts: z.array(writtenPartSchema),
  /** What its reader should know: a sentence each. */
  notes: z.array(z.string()),
});
export type ExportReport = z.infer<typeof exportReportSchema>;

/** What `cupid import --json` prints. */
export const importReportSchema = z.object({
  source: z.string(),
  folder: z.string(),
  /** Absent where there were none. */
  instances: count.optional(),
  records: count.optional(),
  /** `persona_id` of those that had no data file, and are in no record. */
  leftOut: z.array(z.string()),
  license: z.string(),
  parts: z.array(writtenPartSchema),
  notes: z.array(z.string()),
});
export type ImportReport = z.infer<typeof importReportSchema>;
