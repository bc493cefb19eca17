import { removeRegion } from '../../schemas/model/model-spec';
import type { ModelTable } from '../../schemas/model/model-table';

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

/** Formats the question that follows a sentence about unknown names; empty without a close name. */
export function formatCloseNames(names: readonly string[]): string {
  return names.length === 0 ? '' : ` Did you mean ${names.join(', ')}?`;
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

/** Counts the slips in a typed text: characters that are missing, additional, wrong, or swapped with the next one. */
function countSlips(typed: string, meant: string): number {
  let [rowBefore, lastRow]: [number[], number[]] = [
    [],
    Array.from({ length: meant.length + 1 }, (_, at) => at),
  ];
  for (let i = 1; i <= typed.length; i += 1) {
    const row = [i];
    for (let j = 1; j <= meant.length; j += 1) {
      const wrong = typed[i - 1] === meant[j - 1] ? 0 : 1;
      const isSwapped = i > 1 && typed[i - 1] === meant[j - 2] && typed[i - 2] === meant[j - 1];
      row[j] = Math.min(
        getCount(lastRow, j) + 1,
        getCount(row, j - 1) + 1,
        getCount(lastRow, j - 1) + wrong,
        isSwapped ? getCount(rowBefore, j - 2) + 1 : Infinity,
      );
    }
    [rowBefore, lastRow] = [lastRow, row];
  }
  return getCount(lastRow, meant.length);
}

function getCount(row: readonly number[], at: number): number {
  return row[at] ?? Infinity;
}
