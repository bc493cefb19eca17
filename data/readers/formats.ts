import { extname } from 'node:path';

/** The forms that data sets are read in, the preferred one first. */
export const FORMATS = ['parquet', 'json-lines', 'arrow', 'json'] as const;
type Format = (typeof FORMATS)[number];

const EXTENSIONS: Readonly<Record<Format, readonly string[]>> = {
  parquet: ['.parquet'],
  'json-lines': ['.jsonl', '.ndjson'],
  arrow: ['.arrow', '.feather'],
  json: ['.json'],
};

export function findFormat(name: string): Format | undefined {
  const extension = extname(name).toLowerCase();
  return FORMATS.find((format) => EXTENSIONS[format].includes(extension));
}

/** As messages name them. */
export const READABLE = Object.values(EXTENSIONS).flat().join(', ');
