import type { Part, PartName } from './part';

/** Announces the parts that this run of tests needs. */
export function startParts(names: readonly PartName[]): void;
export function writePart(name: PartName, part: Part): void;
/** Returns a part once it is installed or known to be missing; undefined if it was not announced. */
export function waitForPart(name: PartName): Part | undefined;
/** Lists the parts that are written. */
export function listParts(): readonly (readonly [PartName, Part])[];
