import { readModelTable, buildModelTable } from '../../data/model-table';
import { describeModel, describeModels, type KnownModel } from '../../model-facts/known-model';
import { formatModelName } from '../../schemas/model/model-spec';

/**
 * What the built-in table says of a model, or of all models, together with a file of the user's own entries.
 * @param today as YYYY-MM-DD
 * @throws ModelTableError
 */
export async function readKnownModels(
  spec: string | undefined,
  file: string | undefined,
  today: string,
): Promise<KnownModel | KnownModel[]> {
  const table = buildModelTable(file === undefined ? {} : { modelTable: await readModelTable(file) });
  return spec === undefined
    ? describeModels(table, today)
    : describeModel(formatModelName(spec), table, today);
}
