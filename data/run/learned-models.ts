import { modelTableSchema, type ModelEntry, type ModelTable } from '../../schemas/model/model-table';
import * as z from 'zod';
import type { Store } from '../store/store';
import { findJson, writeJson } from '../store/stored-json';

/** Reads the model entries learned from rejected parameters in this run; they take precedence over all others. */
export async function readLearnedModels(store: Store): Promise<ModelTable> {
  return (await findJson(learnedSchema, store, NAME, REMEDY))?.models ?? [];
}

export async function writeLearnedModel(store: Store, entry: ModelEntry): Promise<void> {
  // A concurrent write of another process may be lost; its provider will reject the parameter again.
  await writeJson(store, NAME, { models: [...(await readLearnedModels(store)), entry] });
}

const learnedSchema = z.object({ models: modelTableSchema });

const NAME = 'learned-models.json';
const REMEDY = 'Delete it: the providers then teach it again.';
