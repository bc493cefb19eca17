import { readKnownModels } from '../../runs/plan/known-models';
import { EXIT } from '../exit';
import { renderModel, renderModelTable } from './models-text';
import { print } from '../output';
import { getToday } from '../today';

export interface ModelsOptions {
  /** A file of the user's own entries. */
  readonly models?: string;
  readonly json?: true;
}

/** `cupid models`: prints what is known of a model, or a table of all models. Calls no provider. Returns the exit code. */
export async function showModels(spec: string | undefined, options: ModelsOptions): Promise<number> {
  const known = await readKnownModels(spec, options.models, getToday());
  if (options.json === true) print(JSON.stringify(known, null, 2));
  else print((Array.isArray(known) ? renderModelTable(known) : renderModel(known)).join('\n'));
  return EXIT.done;
}
