// The command line imports this module, so it does not import zod.

/** Formats of `cupid export`. */
export const EXPORT_FORMATS = [
  'parquet',
  'arrow',
  'jsonl',
  'json',
  'memory',
  'reference',
  'prefmatcher',
] as const;
export type ExportFormat = (typeof EXPORT_FORMATS)[number];
