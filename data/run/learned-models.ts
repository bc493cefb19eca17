import { modelTableSchema, type ModelEntry, type ModelTable } from '../../schemas/model/model-table';
import { findJson } from './inputs';
import type { Store } from '../store/store';

/** Reads the model entries learned from rejected parameters in this run; they take precedence over all others. */
export async function readLearnedModels(store: Store): Promise<ModelTable> {
  return (await findJson(modelTableSchema, store, NAME, REMEDY)) ?? [];
}

export async function writeLearnedModel(store: Store, entry: ModelEntry): Promise<void> {
  // A concurrent write of another process may be lost; its provider will reject the parameter again.
  const entries = [...(await readLearnedModels(store)), entry];
  await store.write(NAME, `${JSON.stringify(entries, null, 2)}\n`);
}

const NAME = 'learned-models.json';
const REMEDY = 'Delete it: the providers then teach it again.';
