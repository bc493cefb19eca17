import { readFile } from 'node:fs/promises';
import { basename, dirname, join, relative, resolve, sep } from 'node:path';
import { PROVENANCE, matches } from '../../data/sets/choose';
import { readCard } from '../../data/sets/card';
import { DataError, reasonOf, someOf } from '../../data/sets/error';
import { CARD, filesIn, folderIsThere } from '../../data/sets/folder';
import { openData } from '../../data/sets/open';
import { runFolderAbove } from '../../data/sets/run-folders';
import { errorCode } from '../../data/error-code';

/** A folder with a data set and its card, and which of its files are published. */
export interface DataSetFolder {
  /** By the way it was given. */
  readonly folder: string;
  /** The card's text. */
  readonly card: string;
  /** Whether a model that made the data was simulated; undefined when neither the card nor the provenance tells. */
  readonly simulated: boolean | undefined;
  /** The card first; each with its path in the repository and on this machine. */
  readonly files: readonly { readonly path: string; readonly file: string }[];
  /** Of the folder's files those that are not published. */
  readonly others: readonly string[];
  /** What is validated: the run's folder, when the data set is in one, and else its own. */
  readonly checked: string;
}

export interface FolderOptions {
  readonly environment: NodeJS.ProcessEnv;
  readonly report: (line: string) => void;
}

/**
 * What is published of a folder: the card, the files that its configs name, where each row comes from, and a licence's text. A
 * run's folder stands for its CUPID-Unverified.
 * @throws DataError when there is no card, or no data that it names
 */
export async function dataSetFolder(given: string, options: FolderOptions): Promise<DataSetFolder> {
  const folder = await folderOf(given, options.report);
  const card = await cardOf(folder);
  const names = await filesIn(folder);
  const dataSet = await openData(folder, options);
  const data =
    namedFiles(folder, names, readCard(card).files) ??
    dataSet.files.map(({ path }) => relative(folder, path).replaceAll(sep, '/'));
  const paths = [CARD, ...data.toSorted(), ...names.filter((name) => LICENSE.test(name))];
  const files = new Map([...new Set(paths)].map((path) => [path, join(folder, path)]));
  const { provenance, simulated } = dataSet;
  if (provenance !== undefined && belongsTo(provenance, folder)) files.set(PROVENANCE, provenance);
  return {
    folder,
    card,
    simulated,
    files: [...files].map(([path, file]) => ({ path, file })),
    others: names.filter((name) => !files.has(name)),
    checked: (await runFolderOf(folder)) ?? folder,
  };
}

const UNVERIFIED = 'CUPID-Unverified';

const LICENSE = /^(?:licen[cs]e|notice)(?:\.(?:md|txt))?$/i;

async function folderOf(given: string, report: (line: string) => void): Promise<string> {
  if (!(await folderIsThere(given))) {
    throw new DataError(
      `${given} is no folder here. Name the folder with the data set and its card (${CARD}), such as out/${UNVERIFIED}.`,
    );
  }
  const ofRun = join(given, UNVERIFIED);
  const isRun = (await filesIn(given)).includes(`${UNVERIFIED}/test.parquet`);
  if (isRun) report(`${given} is the folder of a run: its ${ofRun} is published.`);
  return isRun ? ofRun : given;
}

async function cardOf(folder: string): Promise<string> {
  const file = join(folder, CARD);
  try {
    return await readFile(file, 'utf8');
  } catch (error) {
    if (errorCode(error) !== 'ENOENT') {
      throw new DataError(`${file} cannot be read (${reasonOf(error)}).`, { cause: error });
    }
    throw new DataError(
      `${folder} has no card (${CARD}), without which nobody could load the data or know what they are. The folders that cupid ` +
        'synth, export and import write have one; for others write it: https://huggingface.co/docs/hub/datasets-cards',
    );
  }
}

/** The files that the card's configs name; undefined when it names none. */
function namedFiles(
  folder: string,
  names: readonly string[],
  patterns: readonly string[] | undefined,
): string[] | undefined {
  return patterns?.flatMap((pattern) => {
    const found = names.filter((name) => matches(name, pattern));
    if (found.length > 0) return found;
    throw new DataError(
      `${join(folder, CARD)}: its configs name ${pattern}, and the folder has no such file, only ${someOf(names)}. ` +
        'Bring the file, or mend "configs" in the card.',
    );
  });
}

/** The provenance of a run's instances stands one folder up; that folder's other data set has rows of another kind. */
function belongsTo(provenance: string, folder: string): boolean {
  const inside = dirname(provenance) === resolve(folder);
  return inside || basename(resolve(folder)) === UNVERIFIED;
}

/** The folder of the run that the data set is of; undefined when it is of none. */
async function runFolderOf(folder: string): Promise<string | undefined> {
  const above = runFolderAbove(folder);
  return above !== undefined && (await filesIn(above)).includes('run.json') ? above : undefined;
}
