// The command line names these, so this module imports no zod.

/** The forms that `cupid export` writes. */
export const EXPORT_FORMATS = ['parquet', 'arrow', 'jsonl', 'json', 'reference', 'prefmatcher'] as const;
export type ExportFormat = (typeof EXPORT_FORMATS)[number];
