import { removeRegion } from '../../schemas/model/model-spec';
import type { ModelTable } from '../../schemas/model/model-table';
import { countSlips } from '../../schemas/text/close-names';

/**
 * Finds the model of the table that a mistyped `provider:name` means. Undefined for a model with an entry of its own, and for a longer form of
 * one, as with a date. Another version, which has other digits, is no mistyped one either.
 */
export function findCloseName(model: string, table: ModelTable): string | undefined {
  const name = removeRegion(model);
  const knownNames = table.map((entry) => entry.model).filter((known) => !known.endsWith('*'));
  if (knownNames.some((known) => isFormOf(name, known))) return undefined;
  const provider = name.slice(0, name.indexOf(':') + 1);
  const mostSlips = Math.min(MOST_SLIPS, Math.floor((name.length - provider.length) / CHARACTERS_PER_SLIP));
  const closeNames = knownNames
    .filter((known) => known.startsWith(provider) && listDigits(known) === listDigits(name))
    .map((known) => ({ known, slips: countSlips(name.toLowerCase(), known.toLowerCase()) }))
    .filter(({ slips }) => slips <= mostSlips)
    .toSorted((one, other) => one.slips - other.slips);
  return closeNames[0]?.known;
}

/** Lists the models of the table that mistyped names among these mean. */
export function listCloseNames(models: readonly string[], table: ModelTable): string[] {
  return [...new Set(models.flatMap((model) => findCloseName(model, table) ?? []))];
}

const MOST_SLIPS = 2;
const CHARACTERS_PER_SLIP = 5;

/** Returns true for a known name, and for one that continues it with a date, a version or a variant. */
function isFormOf(name: string, known: string): boolean {
  return name.startsWith(known) && /^($|[^\p{L}\p{N}])/u.test(name.slice(known.length));
}

function listDigits(name: string): string {
  return name.replaceAll(/\D/g, '');
}
