import { formatModelName, removeRegion } from '../../schemas/model/model-spec';
import type { ModelEntry, ModelFacts, ModelTable } from '../../schemas/model/model-table';

/** What a table says of a model: of all entries that match it, the later one's facts count. */
export function collectFacts(spec: string, table: ModelTable): ModelFacts {
  const facts: ModelFacts = {};
  for (const { model: _model, checked: _checked, source: _source, note: _note, ...own } of listEntries(
    [spec],
    table,
  )) {
    Object.assign(facts, own);
  }
  return facts;
}

/** Returns the entries of a table that the facts of some models come from, in their order. */
export function listEntries(specs: Iterable<string>, table: ModelTable): ModelEntry[] {
  return listNamedEntries([...specs].map(formatModelName), table);
}

/** Returns the entries that match some models, by their names as a table has them: `provider:name`. */
export function listNamedEntries(models: readonly string[], table: ModelTable): ModelEntry[] {
  const names = models.flatMap((name) => [name, removeRegion(name)]);
  return table.filter(({ model }) => names.some((name) => isMatch(model, name)));
}

/** Returns the entry that a model's fact comes from; undefined when the fact is unknown. */
export function findEntry(spec: string, fact: keyof ModelFacts, table: ModelTable): ModelEntry | undefined {
  return listEntries([spec], table).findLast((entry) => entry[fact] !== undefined);
}

function isMatch(pattern: string, name: string): boolean {
  return pattern.endsWith('*') ? name.startsWith(pattern.slice(0, -1)) : name === pattern;
}
