import { formatModelName, removeRegion } from '../../schemas/model/model-spec';
import type { ModelEntry, ModelFacts, ModelTable } from '../../schemas/model/model-table';

/** Collects the facts of a model from all entries that match it; later entries take precedence. */
export function collectFacts(spec: string, table: ModelTable): ModelFacts {
  const facts: ModelFacts = {};
  for (const { model: _model, checked: _checked, source: _source, note: _note, ...entryFacts } of listEntries(
    [spec],
    table,
  )) {
    Object.assign(facts, entryFacts);
  }
  return facts;
}

/** Returns the entries of a table that provide facts of these models, in order. */
export function listEntries(specs: Iterable<string>, table: ModelTable): ModelEntry[] {
  return listNamedEntries([...specs].map(formatModelName), table);
}

/** Returns the entries that match these models, given as `provider:name` as in the table. */
export function listNamedEntries(models: readonly string[], table: ModelTable): ModelEntry[] {
  const names = models.flatMap((name) => [name, removeRegion(name)]);
  return table.filter(({ model }) => names.some((name) => isMatch(model, name)));
}

/** Returns the entry that provides a model's fact; undefined if the fact is unknown. */
export function findEntry(spec: string, fact: keyof ModelFacts, table: ModelTable): ModelEntry | undefined {
  return listEntries([spec], table).findLast((entry) => entry[fact] !== undefined);
}

function isMatch(pattern: string, name: string): boolean {
  return pattern.endsWith('*') ? name.startsWith(pattern.slice(0, -1)) : name === pattern;
}
