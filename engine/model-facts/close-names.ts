import { removeRegion } from '../../schemas/model/model-spec';
import type { ModelTable } from '../../schemas/model/model-table';
import { countSlips } from '../../schemas/text/close-names';

/**
 * Finds the model of the table that a mistyped `provider:name` means. Undefined for a model with an entry of its own, and for a longer form of
 * one, as with a date. Another version, which has other digits, is no mistyped one either.
 */
export function findCloseName(model: string, table: ModelTable): string | undefined {
  const name = removeRegion(model);
  const knownNames = table.map((entry) => entry.model).filter((knownName) => !knownName.endsWith('*'));
  if (knownNames.some((knownName) => isFormOf(name, knownName))) return undefined;
  const provider = name.slice(0, name.indexOf(':') + 1);
  const mostSlips = Math.min(MOST_SLIPS, Math.floor((name.length - provider.length) / CHARACTERS_PER_SLIP));
  const closeNames = knownNames
    .filter((knownName) => knownName.startsWith(provider) && listDigits(knownName) === listDigits(name))
    .map((knownName) => ({ knownName, slips: countSlips(name.toLowerCase(), knownName.toLowerCase()) }))
    .filter(({ slips }) => slips <= mostSlips)
    .toSorted((a, b) => a.slips - b.slips);
  return closeNames[0]?.knownName;
}

/** Lists the models of the table that mistyped names among these mean. */
export function listCloseNames(models: readonly string[], table: ModelTable): string[] {
  return [...new Set(models.flatMap((model) => findCloseName(model, table) ?? []))];
}

const MOST_SLIPS = 2;
const CHARACTERS_PER_SLIP = 5;

/** Returns true for a known name, and for one that continues it with a date, a version or a variant. */
function isFormOf(name: string, knownName: string): boolean {
  return name.startsWith(knownName) && /^($|[^\p{L}\p{N}])/u.test(name.slice(knownName.length));
}

function listDigits(name: string): string {
  return name.replaceAll(/\D/g, '');
}
