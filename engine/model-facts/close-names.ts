import { removeRegion } from '../../schemas/model/model-spec';
import type { ModelTable } from '../../schemas/model/model-table';
import { countSlips } from '../../schemas/text/close-names';

/**
 * Finds the model of the table that a mistyped `provider:name` means. Undefined for a model with an entry of its own. A longer form of a
 * model is not a mistyped one, nor is another version, which has other digits.
 */
export function findCloseName(model: string, table: ModelTable): string | undefined {
  const name = removeRegion(model);
  const knownNames = table.map((entry) => entry.model).filter((knownName) => !knownName.endsWith('*'));
  if (knownNames.includes(name)) return undefined;
  const provider = name.slice(0, name.indexOf(':') + 1);
  const mostSlips = Math.min(MOST_SLIPS, Math.floor((name.length - provider.length) / CHARACTERS_PER_SLIP));
  const closeNames = knownNames
    .filter((knownName) => knownName.startsWith(provider) && listDigits(knownName) === listDigits(name))
    .map((knownName) => ({ knownName, slips: countSlips(name.toLowerCase(), knownName.toLowerCase()) }))
    .filter(({ knownName, slips }) => slips <= mostSlips && !isFormOf(name, knownName))
    .toSorted((a, b) => a.slips - b.slips);
  return closeNames[0]?.knownName;
}

/** Lists the models of the table that mistyped names among these mean. */
export function listCloseNames(models: readonly string[], table: ModelTable): string[] {
  return [...new Set(models.flatMap((model) => findCloseName(model, table) ?? []))];
}

const MOST_SLIPS = 2;
const CHARACTERS_PER_SLIP = 5;

/** Returns true for a name that continues a known one with a variant. */
function isFormOf(name: string, knownName: string): boolean {
  return name.startsWith(knownName) && /^[^\p{L}\p{N}]/u.test(name.slice(knownName.length));
}

function listDigits(name: string): string {
  return name.replaceAll(/\D/g, '');
}
