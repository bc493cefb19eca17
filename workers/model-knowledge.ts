import { writeLearnedModel, readLearnedModels } from '../data/run/learned-models';
import { buildModelTable } from '../data/model-table';
import type { Store } from '../data/store/store';
import type { Knowledge } from '../models/adapting-model';
import { getToday } from '../engine/model-facts/dates';
import { collectFacts } from '../engine/model-facts/facts';
import { formatModelName } from '../schemas/model/model-spec';
import type { ModelEntry, ModelFacts, ModelTable } from '../schemas/model/model-table';

/**
 * Opens the facts about a run's models: those of the tables, and those learned from rejections in this run.
 * @param keep stores a learned fact
 */
export async function openKnowledge(
  store: Store,
  runTable: { readonly modelTable?: ModelTable | undefined },
  onLearned: (spec: string, facts: ModelFacts, evidence: string) => void,
  keep: (entry: ModelEntry) => Promise<void> = (entry) => writeLearnedModel(store, entry),
): Promise<(spec: string) => Knowledge> {
  let table: ModelTable = [...buildModelTable(runTable), ...(await readLearnedModels(store))];
  let lastWrite: Promise<void> = Promise.resolve();
  return (spec) => ({
    facts: () => collectFacts(spec, table),
    learn(facts, evidence) {
      // Calls that were in flight together are rejected together.
      if (Object.entries(facts).every(([name, fact]) => isKnown(collectFacts(spec, table), name, fact)))
        return;
      const entry: ModelEntry = {
        model: formatModelName(spec),
        checked: getToday(),
        source: evidence,
        ...facts,
      };
      table = [...table, entry];
      onLearned(spec, facts, evidence);
      // A fact that the disk refuses is learned again by the next process.
      lastWrite = lastWrite.then(() => keep(entry)).catch(() => undefined);
    },
  });
}

function isKnown(facts: ModelFacts, name: string, fact: unknown): boolean {
  return JSON.stringify(Reflect.get(facts, name)) === JSON.stringify(fact);
}
