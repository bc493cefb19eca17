// The command line imports this module, so it does not import zod.

/** Formats in which a results folder is exported. */
export const RESULT_FORMATS = ['prefmatcher', 'every-eval-ever', 'eval-results'] as const;
export type ResultFormat = (typeof RESULT_FORMATS)[number];

/** Formats of `cupid export`. */
export const EXPORT_FORMATS = [
  'parquet',
  'arrow',
  'jsonl',
  'json',
  'memory',
  'reference',
  'croissant',
  ...RESULT_FORMATS,
] as const;
export type ExportFormat = (typeof EXPORT_FORMATS)[number];

export function isResultFormat(format: ExportFormat): format is ResultFormat {
  return RESULT_FORMATS.some((one) => one === format);
}
