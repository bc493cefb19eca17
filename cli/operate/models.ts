import { buildModelTable, readModelTable } from '../../data/model-table';
import { describeModel, describeModels } from '../../model-facts/known-model';
import { formatModelName } from '../../schemas/model/model-spec';
import { EXIT } from '../exit';
import { renderModel, renderModelTable } from './models-text';
import { printResult } from '../output';
import { getToday } from '../today';

interface ModelsOptions {
  /** A file of the user's own entries. */
  readonly models?: string;
  readonly json?: true;
}

/** `cupid models`: prints what is known of a model, or a table of all models. Calls no provider. Returns the exit code. @throws ModelTableError */
export async function showModels(spec: string | undefined, options: ModelsOptions): Promise<number> {
  const modelTable = options.models === undefined ? undefined : await readModelTable(options.models);
  const table = buildModelTable({ modelTable });
  const known =
    spec === undefined
      ? describeModels(table, getToday())
      : describeModel(formatModelName(spec), table, getToday());
  printResult(options, known, () => (Array.isArray(known) ? renderModelTable(known) : renderModel(known)));
  return EXIT.done;
}
