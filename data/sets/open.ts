import { createHash } from 'node:crypto';
import { opendir } from 'node:fs/promises';
import { dirname, join, relative, resolve } from 'node:path';
import { findEntry, requireDirectories } from '../store/own-file';
import { hashFile } from '../store/files';
import type { Card } from '../card/read';
import { requireAsWritten } from '../outputs/as-written';
import { chooseFiles, mayBeData, PROVENANCE, RUN_OUTPUT } from '../folders/choose';
import type { DataSet } from './data-set';
import type { DataFile, NamedFile } from '../store/named-file';
import { createReadError, DataError, getReason } from '../store/data-error';
import { CARD, findCard, findStat, listFiles, readCardText } from '../folders/folder';
import { findFormat, READABLE } from '../readers/formats';
import { MANIFEST, type Marks, parseMarks } from '../marks/marks';
import { describeTable } from '../readers/table';
import { downloadHubFiles } from '../hub/hub';
import { parseHubName, type HubName } from '../hub/name';
import { requireUndamaged } from '../hub/cache';
import { hasProvenanceColumns, readProvenance } from './provenance';
import { findRunFolderAbove } from '../folders/run-folders';

export interface OpenOptions {
  /** Receives a line for everything slow or surprising: downloads, use of the cache instead of the Hub, or a file that is ignored. */
  readonly report: (line: string) => void;
  /** Environment with the Hub's variables (HF_TOKEN, HF_HOME, HF_ENDPOINT, …). */
  readonly environment: NodeJS.ProcessEnv;
  /** Receives the reason why the provenance cannot be read; the data are then opened without it. If absent, that is an error. */
  readonly skipProvenance?: (reason: string) => void;
}

/**
 * Finds a data set in CUPID form and hashes its files: a file (Parquet, JSON, Arrow), a folder (`chooseFiles` selects its files), or
 * `owner/name` or `owner/name@revision` on the Hub. Data of the Hub are downloaded into its own cache. Existing paths take precedence over
 * the Hub.
 * @throws DataError that says what was looked for and what to do
 */
export async function openData(argument: string, options: OpenOptions): Promise<DataSet> {
  const { report, environment, skipProvenance } = options;
  const name = await locateData(argument);
  if (name === 'folder') return openFolder(argument, options);
  if (name === 'file') return openFile(argument, options);
  const { commit, folder, files, provenance, card } = await downloadHubFiles(name, environment, report);
  return describeDataSet({
    argument,
    source: `hub:${name.dataSet}@${commit}`,
    commit,
    files: files.map((file) => ({ path: join(folder, file), name: `${name.dataSet}/${file}` })),
    findProvenance: async () => provenance && join(folder, provenance),
    report,
    skipProvenance,
    card: card && { card, name: `${name.dataSet}/${CARD}` },
  });
}

/**
 * Locates a data set by its name alone, on disk or on the Hub, without a request to the Hub.
 * @throws DataError that explains valid names, if it can be neither
 */
export async function locateData(argument: string): Promise<'folder' | 'file' | HubName> {
  const stat = await findStat(argument);
  if (stat?.isDirectory() === true) return 'folder';
  if (stat?.isFile() === true) return 'file';
  const name = isPathLike(argument) ? undefined : parseHubName(argument);
  if (name !== undefined) return name;
  throw new DataError(
    `${argument === '' ? 'The data set has an empty name' : `${argument} does not exist`}. Name a file (${READABLE}), a folder, ` +
      'or a data set of the Hub as OWNER/NAME or OWNER/NAME@REVISION.',
  );
}

function isPathLike(argument: string): boolean {
  return /^[./~]|\\|\/$|^[A-Za-z]:/.test(argument) || findFormat(argument) !== undefined;
}

async function openFile(argument: string, { report, skipProvenance }: OpenOptions): Promise<DataSet> {
  if (findFormat(argument) === undefined) {
    throw new DataError(
      `${argument} cannot be read: its name does not end in ${READABLE}. ` +
        'Rename it if it has one of these formats.',
    );
  }
  const folder = dirname(argument);
  return describeDataSet({
    argument,
    source: argument,
    files: [{ path: resolve(argument), name: argument }],
    findProvenance: () => findProvenanceBeside(folder),
    report,
    skipProvenance,
    card: await findNamedCard(folder),
  });
}

async function openFolder(argument: string, { report, skipProvenance }: OpenOptions): Promise<DataSet> {
  await requireDirectories(join(argument, dirname(RUN_OUTPUT)), argument);
  const names = await listFiles(argument);
  if (!names.some(mayBeData)) await refuseDeeper(argument);
  const { files } = chooseFiles(argument, names, await findCard(argument));
  const namedFiles = files.map((file) => ({
    path: resolve(argument, file),
    name: join(argument, file),
    within: resolve(argument),
  }));
  const [first] = namedFiles;
  const folder = first === undefined ? argument : dirname(first.name);
  return describeDataSet({
    argument,
    source: first !== undefined && namedFiles.length === 1 ? first.name : argument,
    files: namedFiles,
    findProvenance: async () =>
      (await findProvenanceBeside(folder)) ?? (await findProvenanceBeside(argument)),
    report,
    skipProvenance,
    // The card of a run's data set is in the data set's own folder.
    card: (await findNamedCard(argument)) ?? (await findNamedCard(folder)),
  });
}

/** @throws DataError that names a deeper folder with files that could be data */
async function refuseDeeper(argument: string): Promise<void> {
  let entryCount = 0;
  for await (const { name, parentPath } of await opendir(argument, { recursive: true })) {
    entryCount += 1;
    if (entryCount > MOST_SEEN) return;
    const folder = relative(argument, parentPath);
    // Direct subfolders were searched already.
    if (!/[\\/]/.test(folder) || /(^|[\\/])\./.test(folder) || !mayBeData(join(folder, name))) continue;
    throw new DataError(
      `${argument} contains no data set: its files lie deeper. Name their folder, such as ${join(argument, folder)}.`,
    );
  }
}

/** Limits the search, because the folder may contain a whole disk. */
const MOST_SEEN = 10_000;

async function findNamedCard(folder: string): Promise<NamedCard | undefined> {
  const card = await findCard(folder);
  return card && { card, name: join(folder, CARD) };
}

interface NamedCard {
  readonly card: Card;
  readonly name: string;
}

/** Finds the provenance in a run's folder, beside the folder of the data set. */
async function findProvenanceBeside(folder: string): Promise<string | undefined> {
  const run = findRunFolderAbove(folder);
  for (const candidate of run === undefined ? [folder] : [folder, run]) {
    const path = resolve(candidate, PROVENANCE);
    if ((await findEntry(path, resolve(candidate)))?.isFile() === true) return path;
  }
  return undefined;
}

interface DataSetFiles {
  readonly argument: string;
  readonly source: string;
  readonly commit?: string;
  readonly files: readonly NamedFile[];
  readonly findProvenance: () => Promise<string | undefined>;
  readonly report: OpenOptions['report'];
  readonly skipProvenance: OpenOptions['skipProvenance'];
  readonly card: NamedCard | undefined;
}

async function describeDataSet({
  card,
  findProvenance,
  report,
  skipProvenance,
  ...dataSet
}: DataSetFiles): Promise<DataSet> {
  const files: DataFile[] = [];
  for (const file of dataSet.files) files.push({ ...file, ...(await hashDataFile(file)) });
  if (dataSet.commit !== undefined) for (const file of files) await requireUndamaged(file);
  const [only] = files;
  const all = createHash('sha256').update(files.map((file) => `${file.sha256}\n`).join(''));
  const origin = await readOrigin(findProvenance, {
    isOfHub: dataSet.commit !== undefined,
    simulated: card?.card.simulated,
    isOurs: () => hasOwnMark(card?.card, files),
    report,
  }).catch((error: unknown) => {
    if (skipProvenance === undefined) throw error;
    skipProvenance(getReason(error));
    return undefined;
  });
  const provenance = origin?.path;
  const simulated = origin?.simulated ?? card?.card.simulated;
  const canary = card?.card.canary;
  const marks = simulated === undefined || canary === undefined ? await findMarks(files) : {};
  return {
    ...dataSet,
    files,
    sha256: only !== undefined && files.length === 1 ? only.sha256 : all.digest('hex'),
    ...(provenance !== undefined && { provenance }),
    ...(card !== undefined && { card: card.card, cardName: card.name }),
    simulated: simulated ?? marks.simulated,
    canary: canary ?? marks.canary,
  };
}

/** Returns whether the card or the files have a mark of this program. */
async function hasOwnMark(card: Card | undefined, files: readonly NamedFile[]): Promise<boolean> {
  if (card !== undefined && (card.ours || card.simulated === true || card.canary !== undefined)) return true;
  const { simulated, canary } = await findMarks(files);
  return simulated === true || canary !== undefined;
}

/** Finds the marks of all files together: one of them may state what others do not. */
async function findMarks(files: readonly NamedFile[]): Promise<Marks> {
  const all: Marks[] = [];
  for (const file of files) all.push(await readMarks(file));
  return {
    simulated: all.find(({ simulated }) => simulated)?.simulated,
    canary: all.find(({ canary }) => canary)?.canary,
  };
}

/**
 * Reads the marks in a file's metadata, or for JSON in the manifest beside it.
 * @throws DataError when the file is not whole
 */
export async function readMarks(file: NamedFile): Promise<Marks> {
  const format = findFormat(file.name);
  if (format === 'parquet' || format === 'arrow') return (await describeTable(file)).marks;
  // A manifest that is a link, for example, is not one of ours.
  return parseMarks((await readCardText(join(dirname(file.path), MANIFEST)).catch(() => undefined)) ?? '');
}

async function hashDataFile(file: NamedFile): Promise<Pick<DataFile, 'sha256' | 'bytes'>> {
  try {
    const hashed = await hashFile(file.path, file.within);
    await requireAsWritten(file, hashed.sha256);
    return hashed;
  } catch (error) {
    throw createReadError(file.name, error);
  }
}

interface OriginOptions {
  readonly isOfHub: boolean;
  readonly simulated: boolean | undefined;
  readonly isOurs: () => Promise<boolean>;
  readonly report: OpenOptions['report'];
}

/**
 * Finds the provenance, and reads whether the data are simulated there unless that is known.
 * @throws DataError when it is damaged or a link, for example, or our data has one without our columns
 */
async function readOrigin(
  findProvenance: () => Promise<string | undefined>,
  { isOfHub, simulated, isOurs, report }: OriginOptions,
): Promise<{ readonly path: string; readonly simulated: boolean } | undefined> {
  const path = await findProvenance();
  if (path === undefined) return undefined;
  if (isOfHub) await requireUndamaged({ path, name: path });
  if (!(await hasProvenanceColumns(path)) && !(await isOurs())) {
    report(`${path} does not have the columns of a provenance that cupid writes. It is ignored.`);
    return undefined;
  }
  return { path, simulated: simulated ?? (await hasSimulatedRow(path)) };
}

async function hasSimulatedRow(provenance: string): Promise<boolean> {
  const origins = await readProvenance(provenance);
  return [...origins.values()].some(({ simulated }) => simulated);
}
