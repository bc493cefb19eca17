// The command line imports this module, so it does not import zod.

/** Formats of `cupid export` with a data set as one table. */
export const TABLE_FORMATS = ['parquet', 'arrow', 'jsonl', 'json'] as const;
export type TableFormat = (typeof TABLE_FORMATS)[number];

/** Formats of `cupid export` with training data of a run. */
const TRAINING_FORMATS = ['turns', 'sft', 'preference-pairs'] as const;
export type TrainingFormat = (typeof TRAINING_FORMATS)[number];

/** Formats in which a results folder is exported. */
export const RESULT_FORMATS = ['prefmatcher', 'every-eval-ever', 'eval-results'] as const;
type ResultFormat = (typeof RESULT_FORMATS)[number];

/** Formats in which other programs ask the questions of a data set's instances. */
const BENCHMARK_FORMATS = ['benchmark', 'lm-eval'] as const;
export type BenchmarkFormat = (typeof BENCHMARK_FORMATS)[number];

/** Formats that show histories, which may be extended. */
export const HISTORY_FORMATS = ['memory', 'benchmark', 'lm-eval'] as const satisfies readonly ExportFormat[];

/** Formats of `cupid export`. */
export const EXPORT_FORMATS = [
  ...TABLE_FORMATS,
  'memory',
  'reference',
  'croissant',
  ...BENCHMARK_FORMATS,
  ...TRAINING_FORMATS,
  ...RESULT_FORMATS,
] as const;
export type ExportFormat = (typeof EXPORT_FORMATS)[number];

export function isHistoryFormat(format: ExportFormat): format is (typeof HISTORY_FORMATS)[number] {
  return HISTORY_FORMATS.some((historyFormat) => historyFormat === format);
}

export function isTableFormat(format: ExportFormat): format is TableFormat {
  return TABLE_FORMATS.some((tableFormat) => tableFormat === format);
}

export function isTrainingFormat(format: ExportFormat): format is TrainingFormat {
  return TRAINING_FORMATS.some((trainingFormat) => trainingFormat === format);
}

export function isResultFormat(format: ExportFormat): format is ResultFormat {
  return RESULT_FORMATS.some((resultFormat) => resultFormat === format);
}
