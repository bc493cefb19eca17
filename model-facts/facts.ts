import { modelName } from '../schemas/model-spec';
import type { ModelEntry, ModelFacts, ModelTable } from '../schemas/model-table';

/** What a table says of a model: of all entries that match it, the later one's facts count. */
export function factsOf(spec: string, table: ModelTable): ModelFacts {
  const facts: ModelFacts = {};
  for (const { model: _model, checked: _checked, source: _source, note: _note, ...own } of entriesFor(
    [spec],
    table,
  )) {
    Object.assign(facts, own);
  }
  return facts;
}

/** The entries of a table that the facts of some models come from, in their order. */
export function entriesFor(specs: Iterable<string>, table: ModelTable): ModelEntry[] {
  return entriesNamed([...specs].map(modelName), table);
}

/** The entries that match some models, by their names as a table has them: `provider:name`. */
export function entriesNamed(models: readonly string[], table: ModelTable): ModelEntry[] {
  const names = models.flatMap((name) => [name, withoutRegion(name)]);
  return table.filter(({ model }) => names.some((name) => matches(model, name)));
}

/** The entry that a model's fact comes from; undefined when the fact is unknown. */
export function entryOf(spec: string, fact: keyof ModelFacts, table: ModelTable): ModelEntry | undefined {
  return entriesFor([spec], table).findLast((entry) => entry[fact] !== undefined);
}

function matches(pattern: string, name: string): boolean {
  return pattern.endsWith('*') ? name.startsWith(pattern.slice(0, -1)) : name === pattern;
}

/** Bedrock's inference profiles put where a model runs before its name: `us.anthropic.claude-…`. */
function withoutRegion(name: string): string {
  return name.replace(/^bedrock:(?:us|eu|apac|jp|au|global)\./, 'bedrock:');
}
