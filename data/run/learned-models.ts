import { modelTableSchema, type ModelEntry, type ModelTable } from '../../schemas/model/model-table';
import { findJson } from './inputs';
import type { Store } from '../store/store';

/** What the providers of a run's models taught by rejecting parameters: entries that take precedence over all others. */
export async function readLearnedModels(store: Store): Promise<ModelTable> {
  return (await findJson(modelTableSchema, store, NAME, REMEDY)) ?? [];
}

export async function writeLearnedModel(store: Store, entry: ModelEntry): Promise<void> {
  // What another process wrote at the same moment may be lost: its provider teaches it again.
  const entries = [...(await readLearnedModels(store)), entry];
  await store.write(NAME, `${JSON.stringify(entries, null, 2)}\n`);
}

const NAME = 'learned-models.json';
const REMEDY = 'Delete it: the providers then teach it again.';
