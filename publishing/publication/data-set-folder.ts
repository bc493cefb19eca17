import { basename, dirname, join, relative, resolve, sep } from 'node:path';
import { PROVENANCE } from '../../data/folders/choose';
import { readCard } from '../../data/card/read';
import type { DataSet } from '../../data/sets/data-set';
import { DataError } from '../../data/store/data-error';
import { formatValue, formatNames } from '../../schemas/text/value-text';
import { CARD, listFiles, hasFolder, readCardText } from '../../data/folders/folder';
import { matchPatterns } from '../../data/folders/glob';
import { requireDirectories, requireRegularFile } from '../../data/store/own-file';
import { openData, type OpenOptions } from '../../data/sets/open';
import { findRunFolderAbove } from '../../data/folders/run-folders';

/** A folder with a data set and its card, and which of its files are published. */
export interface DataSetFolder {
  /** By the way it was given. */
  readonly folder: string;
  /** The card's text. */
  readonly card: string;
  readonly dataSet: DataSet;
  /** The card first; each with its path in the repository and on this machine. */
  readonly files: readonly { readonly path: string; readonly file: string }[];
  /** Files of the folder that are not published. */
  readonly unpublished: readonly string[];
  /** The folder to validate: the run's, when the data set is in one, and else its own. */
  readonly checked: string;
}

/**
 * Reads the files of a folder to publish: the card, the files that its configs name, the provenance, a license's text, and `eval.yaml`. A run's folder
 * stands for its CUPID-Unverified.
 * @throws DataError when there is no card, or no data that it names
 */
export async function readDataSetFolder(location: string, options: OpenOptions): Promise<DataSetFolder> {
  const folder = await findFolder(location, options.report);
  const card = await readCardOf(folder);
  const names = await listFiles(folder);
  const dataSet = await openData(folder, options);
  const data =
    listNamedFiles(folder, names, readCard(card).files) ??
    dataSet.files.map(({ path }) => relative(folder, path).replaceAll(sep, '/'));
  const paths = [CARD, ...data.toSorted(), ...names.filter((name) => ALSO_PUBLISHED.test(name))];
  const files = new Map([...new Set(paths)].map((path) => [path, join(folder, path)]));
  const { provenance } = dataSet;
  if (provenance !== undefined && isProvenanceOf(provenance, folder)) files.set(PROVENANCE, provenance);
  // A link may point to any file on this machine, and a publication cannot be undone.
  for (const file of files.values()) {
    await requireRegularFile(file, files.get(PROVENANCE) === file ? dirname(file) : folder, 'read');
  }
  return {
    folder,
    card,
    dataSet,
    files: [...files].map(([path, file]) => ({ path, file })),
    unpublished: names.filter((name) => !files.has(name)),
    checked: (await findFinishedRunFolder(folder)) ?? folder,
  };
}

const UNVERIFIED = 'CUPID-Unverified';

/** A license's text, and the description of a benchmark. */
const ALSO_PUBLISHED = /^(?:(?:licen[cs]e|notice)(?:\.(?:md|txt))?|eval\.yaml)$/i;

async function findFolder(location: string, report: (line: string) => void): Promise<string> {
  if (!(await hasFolder(location))) {
    throw new DataError(
      `There is no folder ${location}. Name the folder with the data set and its card (${CARD}), such as out/${UNVERIFIED}.`,
    );
  }
  const dataFolder = join(location, UNVERIFIED);
  await requireDirectories(dataFolder, location);
  const isRun = (await listFiles(location)).includes(`${UNVERIFIED}/test.parquet`);
  if (isRun) report(`${location} is a run folder, so its data set ${dataFolder} is used.`);
  return isRun ? dataFolder : location;
}

async function readCardOf(folder: string): Promise<string> {
  const text = await readCardText(join(folder, CARD));
  if (text !== undefined) return text;
  throw new DataError(
    `${folder} has no card (${CARD}). A published data set needs one, so that others can load and understand it. ` +
      'The folders that cupid synth, export and import write have a card. For other data, write one: ' +
      'https://huggingface.co/docs/hub/datasets-cards',
  );
}

/** Lists the files that the card's configs name. Returns undefined when it names none. */
function listNamedFiles(
  folder: string,
  names: readonly string[],
  patterns: readonly string[] | undefined,
): string[] | undefined {
  if (patterns === undefined) return undefined;
  const card = join(folder, CARD);
  return matchPatterns(card, patterns, names).flatMap((matches, index) => {
    if (matches.length > 0) return matches;
    throw new DataError(
      `${card}: "configs" names ${formatValue(patterns[index])}, but the folder has no such file. It has ${formatNames(names)}. ` +
        'Add the file, or fix "configs" in the card.',
    );
  });
}

/** Returns whether the provenance is of this folder. A run's stands one folder up, beside another data set whose rows are of another kind. */
function isProvenanceOf(provenance: string, folder: string): boolean {
  const inside = dirname(provenance) === resolve(folder);
  return inside || basename(resolve(folder)) === UNVERIFIED;
}

/** Finds the folder of the data set's run. Returns undefined when it is of none. */
async function findFinishedRunFolder(folder: string): Promise<string | undefined> {
  const runFolder = findRunFolderAbove(folder);
  return runFolder !== undefined && (await listFiles(runFolder)).includes('run.json') ? runFolder : undefined;
}
