import { removeRegion } from '../../schemas/model/model-spec';
import type { ModelTable } from '../../schemas/model/model-table';

/**
 * Finds the model of the table that a mistyped `provider:name` means. Undefined for a model with an entry of its own, and for a longer form of
 * one, as with a date. Another version, which has other digits, is no mistyped one either.
 */
export function findCloseName(model: string, table: ModelTable): string | undefined {
  const name = removeRegion(model);
  const known = table.map((entry) => entry.model).filter((other) => !other.endsWith('*'));
  if (known.some((other) => isFormOf(name, other))) return undefined;
  const provider = name.slice(0, name.indexOf(':') + 1);
  const most = Math.min(MOST_SLIPS, Math.floor((name.length - provider.length) / CHARACTERS_PER_SLIP));
  const close = known
    .filter((other) => other.startsWith(provider) && listDigits(other) === listDigits(name))
    .map((other) => ({ other, slips: countSlips(name.toLowerCase(), other.toLowerCase()) }))
    .filter(({ slips }) => slips <= most)
    .toSorted((one, another) => one.slips - another.slips);
  return close[0]?.other;
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

/** Counts the slips between two texts: characters that are missing, additional, wrong, or swapped with the next one. */
function countSlips(one: string, other: string): number {
  let [before, last]: [number[], number[]] = [[], Array.from({ length: other.length + 1 }, (_, at) => at)];
  for (let i = 1; i <= one.length; i += 1) {
    const row = [i];
    for (let j = 1; j <= other.length; j += 1) {
      const wrong = one[i - 1] === other[j - 1] ? 0 : 1;
      const isSwapped = i > 1 && one[i - 1] === other[j - 2] && one[i - 2] === other[j - 1];
      row[j] = Math.min(
        getCount(last, j) + 1,
        getCount(row, j - 1) + 1,
        getCount(last, j - 1) + wrong,
        isSwapped ? getCount(before, j - 2) + 1 : Infinity,
      );
    }
    [before, last] = [last, row];
  }
  return getCount(last, other.length);
}

function getCount(row: readonly number[], at: number): number {
  return row[at] ?? Infinity;
}
