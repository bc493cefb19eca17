import { readModelTable, tableFor } from '../../data/model-table';
import { knownModel, knownModels, type KnownModel } from '../../model-facts/known-model';
import { modelName } from '../../schemas/model-spec';

/**
 * What the built-in table says of a model, or of all models, together with a file of the user's own entries.
 * @param today as YYYY-MM-DD
 * @throws ModelTableError
 */
export async function readKnown(
  spec: string | undefined,
  file: string | undefined,
  today: string,
): Promise<KnownModel | KnownModel[]> {
  const table = tableFor(file === undefined ? {} : { modelTable: await readModelTable(file) });
  return spec === undefined ? knownModels(table, today) : knownModel(modelName(spec), table, today);
}
