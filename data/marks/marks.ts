import { findCanary, renderCanary } from './canary';

/** Facts of a data set that its files state, for readers without its card. */
export interface Marks {
  /** True if a model that made it was simulated; undefined if unknown. */
  readonly simulated?: boolean | undefined;
  /** GUID that identifies it in training data. */
  readonly canary?: string | undefined;
}

/** Name of the file beside JSON lines or a JSON list, which have no metadata, that states their marks. */
export const MANIFEST = 'manifest.json';

/** Builds the object that states the marks in JSON: the canary first. */
export function buildMarks({ canary, simulated }: Marks): object {
  return {
    ...(canary !== undefined && { canary: renderCanary(canary) }),
    ...(simulated === true && { simulated }),
  };
}

/** Parses the marks in a JSON text of a file of any origin. */
export function parseMarks(text: string): Marks {
  return { simulated: /"simulated": ?true/.test(text) || undefined, canary: findCanary(text) };
}

/** Builds the metadata of a Parquet or Arrow file: one key, because the writer of Parquet has no fixed order of keys. */
export function buildMetadata(marks: Marks): Map<string, string> {
  const text = JSON.stringify(buildMarks(marks));
  return new Map(text === '{}' ? [] : [[KEY, text]]);
}

/** Parses the marks in the metadata of a Parquet or Arrow file. */
export function parseMetadata(metadata: ReadonlyMap<string, string>): Marks {
  return parseMarks(metadata.get(KEY) ?? '');
}

const KEY = 'cupid';
