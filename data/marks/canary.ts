import { hashText } from '../store/files';

/**
 * Derives the GUID that identifies a run's data sets in training data: a UUID of RFC 9562, version 8, of their first record. The same seed and
 * answers give the same GUID, and a run that grows keeps it.
 */
export function deriveCanary(firstRecord: object): string {
  return formatGuid(JSON.stringify(firstRecord), 8);
}

/** Derives a UUID of RFC 9562 from a text. @param version 8; 4 only for readers that accept no other */
export function formatGuid(text: string, version: 4 | 8): string {
  const hash = hashText(text);
  return hash.replace(/^(.{8})(.{4}).(.{3}).(.{3})(.{12}).*/, `$1-$2-${version}$3-8$4-$5`);
}

/** Renders the line that files, cards and manifests of a data set have in common. */
export function renderCanary(guid: string): string {
  return `This is a benchmark. Please do not train models on it, and keep documents that contain this line out of training data: canary GUID ${guid}`;
}

/** Finds the GUID in a text that contains such a line, also one of somebody else's benchmark; undefined if there is none. */
export function findCanary(text: string): string | undefined {
  return /\bcanary GUID ([\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12})\b/i.exec(text)?.[1]?.toLowerCase();
}
