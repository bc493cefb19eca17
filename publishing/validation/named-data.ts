import { dirname, join } from 'node:path';
import * as z from 'zod';
import type { DataSet } from '../../data/sets/data-set';
import { DataError } from '../../data/store/data-error';
import { hasFolder, findText } from '../../data/folders/folder';
import { type KindName, findKind } from '../../data/sets/kinds';
import { openData, type OpenOptions } from '../../data/sets/open';
import { RUN_DATA_SETS, findRunFolderAbove } from '../../data/folders/run-folders';
import { synthesisSettingsSchema } from '../../schemas/run/settings';

/** Data that a name on the command line stands for: one data set, or both of a run's folder. */
export interface NamedData {
  /** At most one of each kind. */
  readonly dataSets: readonly { readonly dataSet: DataSet; readonly kind: KindName }[];
  /** Facts of `run.json` to compare the data sets with. Undefined when there is none. */
  readonly run: NamedRunFacts | undefined;
  /** Folder of the run, if the name stands for a part of it. */
  readonly runFolder?: string | undefined;
}

export type NamedRunFacts = z.infer<typeof runFactsSchema>;

/** @throws DataError when there is nothing to read, or `run.json` is not what this program writes */
export async function openNamedData(argument: string, options: OpenOptions): Promise<NamedData> {
  const dataSets: NamedData['dataSets'][number][] = [];
  for (const [name, kind] of RUN_DATA_SETS) {
    const folder = join(argument, name);
    if (await hasFolder(folder, argument)) dataSets.push({ dataSet: await openData(folder, options), kind });
  }
  if (dataSets.length > 0) return { dataSets, run: await readRunFacts(argument), runFolder: argument };
  const dataSet = await openData(argument, options);
  const folder = findRunFolder(dataSet);
  return {
    dataSets: [{ dataSet, kind: await findKind(dataSet) }],
    run: folder === undefined ? undefined : await readRunFacts(folder),
    runFolder: folder,
  };
}

/** Finds the folder of the run that the data set belongs to, judged by the folder's name. */
function findRunFolder({ commit, files: [file] }: DataSet): string | undefined {
  if (commit !== undefined || file === undefined) return undefined;
  return findRunFolderAbove(dirname(file.path));
}

async function readRunFacts(folder: string): Promise<NamedRunFacts | undefined> {
  const path = join(folder, 'run.json');
  const text = await findText(path);
  if (text === undefined) return undefined;
  try {
    return runFactsSchema.parse(JSON.parse(text));
  } catch (error) {
    throw new DataError(
      `${path} is not what cupid synth writes: settings.seed, settings.nSessions, settings.maxTurns and simulated are missing or invalid. Restore the run.json of the run, or validate its data sets one by one, in folders with other names.`,
      { cause: error },
    );
  }
}

const { seed, nSessions, maxTurns, taxonomy } = synthesisSettingsSchema.shape;

const runFactsSchema = z
  .object({
    // Not picked from the schema: that one is strict, and run.json has all the other settings as well.
    settings: z.object({
      seed: seed.unwrap(),
      nSessions: nSessions.unwrap(),
      maxTurns: maxTurns.unwrap(),
      taxonomy,
    }),
    simulated: z.boolean(),
  })
  .transform(({ settings, simulated }) => ({ ...settings, simulated }));
