import type { Part, PartName } from './part';

export type Parts = { readonly [Name in PartName]?: Part };
export function readParts(): Parts;
export function writeParts(parts: Parts): void;
