import { withLicense } from '../data/card/edit';
import { DataError } from '../data/instances/error';
import { CARD } from '../data/instances/folder';
import { hubAccess, type HubAccess } from '../data/instances/hub-access';
import { writeAtomically } from '../data/store';
import type { Publication } from '../schemas/publication';
import type { ValidationReport } from '../schemas/validation';
import { AcceptedBlocks } from './publication/accepted-blocks';
import { HubConnection, howToLogIn } from './publication/connection';
import { dataSetFolder, type DataSetFolder } from './publication/data-set-folder';
import { PublishError } from './publication/error';
import { type CommitProgress, HubDataSet } from './publication/hub-data-set';
import { digestsOf, localFile, type LocalFile } from './publication/local-file';
import { publishTo, type WantedOnHub } from './publication/on-hub';
import { requireBranch, requireRepository } from './publication/names';
import { validateData } from './validate';

export interface WantedPublication extends WantedOnHub {
  /** The data set's folder, or a run's. */
  readonly data: string;
  /** Written into the card, on this machine as well. */
  readonly license?: string;
  readonly allowSimulated: boolean;
}

export type PublishProgress = { readonly phase: 'checking' | 'comparing' } | CommitProgress;

export interface PublishSurroundings {
  readonly environment: NodeJS.ProcessEnv;
  /** Told, a line each, what might surprise. */
  readonly report: (line: string) => void;
  readonly progress?: (progress: PublishProgress) => void;
  readonly signal?: AbortSignal;
  /** Milliseconds before each further try of a request. */
  readonly delays?: readonly number[];
}

/** The data set has errors: it is not published. */
export class UnsoundData extends PublishError {
  readonly folder: string;
  readonly findings: ValidationReport;

  constructor(folder: string, findings: ValidationReport) {
    super(`${folder} has errors and was not published.`);
    this.folder = folder;
    this.findings = findings;
  }
}

/**
 * Brings a data set to the Hub: its files and its card in one commit on top of the one that they were compared with. What the
 * Hub has already is not sent, and where nothing differs no commit is made.
 * @throws DataError for what is wrong here: no card, simulated data, a name that cannot be
 * @throws UnsoundData when validation finds errors
 * @throws PublishError for what the Hub refuses or does not get; a repeat goes on where it was
 */
export async function publishData(
  wanted: WantedPublication,
  around: PublishSurroundings,
): Promise<Publication> {
  const { environment, report, progress = () => undefined, signal = new AbortController().signal } = around;
  requireRepository(wanted.repo);
  requireBranch(wanted.branch);
  const access = await hubAccess(environment);
  const found = await dataSetFolder(wanted.data, { environment, report });
  requireAllowed(found, wanted);
  const card = wanted.license === undefined ? found.card : withLicense(found.card, wanted.license);
  requireToken(access, wanted);
  progress({ phase: 'checking' });
  await requireSound(found, around);
  if (card !== found.card && !wanted.dryRun) await writeAtomically(fileOfCard(found), card);
  const files = await localFiles(found, card);
  progress({ phase: 'comparing' });
  const connection = new HubConnection({
    access,
    report,
    delays: around.delays ?? DELAYS,
    accepted: await AcceptedBlocks.of(`${access.address} ${wanted.repo}`, environment),
  });
  return await publishTo(new HubDataSet(wanted.repo, connection, signal), files, wanted, {
    report,
    progress,
  });
}

/** Less than a minute in all. */
const DELAYS = [1_000, 3_000, 9_000, 27_000];

function requireAllowed({ folder, simulated }: DataSetFolder, { allowSimulated }: WantedPublication): void {
  if (simulated !== true || allowSimulated) return;
  throw new DataError(
    `${folder} is simulated data, made without any language model, which nobody should take for real. It is published only with --allow-simulated.`,
  );
}

async function requireSound({ folder }: DataSetFolder, around: PublishSurroundings): Promise<void> {
  const { environment, report, signal } = around;
  const findings = await validateData(folder, { environment, report, ...(signal && { signal }) });
  if (findings.errors > 0) throw new UnsoundData(folder, findings);
}

function requireToken({ token, address }: HubAccess, { dryRun }: WantedPublication): void {
  if (token !== undefined || dryRun) return;
  throw new PublishError(
    `Nobody is logged in to the Hub, so nothing can be published. ${howToLogIn(address)}`,
  );
}

function fileOfCard({ files }: DataSetFolder): string {
  const card = files.find(({ path }) => path === CARD);
  if (card === undefined) throw new Error('A data set that is published has a card.');
  return card.file;
}

/** The files as they are published; the card as it is to be, which in a dry run is not what the disk has. */
async function localFiles({ files }: DataSetFolder, card: string): Promise<LocalFile[]> {
  const read: LocalFile[] = [];
  for (const { path, file } of files) {
    const local = await localFile(path, file);
    read.push(path === CARD ? { ...local, ...digestsOf(card) } : local);
  }
  return read;
}
