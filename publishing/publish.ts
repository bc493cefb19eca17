import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { withLicense } from '../data/card/edit';
import { readCard } from '../data/card/read';
import { withEvaluations } from '../data/card/evaluation';
import { SIMULATED_VERIFICATION_TAG, withVerificationTotals } from '../data/card/verification';
import { DataError } from '../data/store/data-error';
import { formatCount } from '../schemas/text/count-text';
import { formatNames } from '../schemas/text/value-text';
import { CARD } from '../data/folders/folder';
import { PROVENANCE } from '../data/folders/choose';
import { findFormat } from '../data/readers/formats';
import { readJsonLines } from '../data/readers/json-lines';
import { findKind } from '../data/sets/kinds';
import { readMarks, type OpenOptions } from '../data/sets/open';
import { readHubAccess, type HubAccess } from '../data/hub/access';
import { useTemporaryDirectory } from '../data/store/directories';
import { writeAtomically } from '../data/store/store';
import { isOfTask } from '../schemas/dataset/benchmark';
import type { Publication } from '../schemas/dataset/publication';
import type { ValidationReport } from '../schemas/dataset/validation';
import type { HistoryTier } from '../schemas/evaluation/context';
import { EVAL_FILE, writeBenchmark } from './benchmark/inspect';
import { openHistory } from './export/history';
import { openSource, requireInstances } from './export/source';
import { findEvaluations } from '../data/sets/evaluations';
import { findVerification } from '../data/sets/verification';
import { quotePath } from '../schemas/text/shell-text';
import { formatLoginHint } from './publication/connection';
import { readDataSetFolder, type DataSetFolder } from './publication/data-set-folder';
import { PublishError } from './publication/error';
import { type CommitProgress, HubDataSet } from './publication/hub-data-set';
import {
  createChangedError,
  computeDigests,
  readLocalFile,
  requireUnchanged,
  type LocalFile,
} from './publication/local-file';
import { publishTo, type HubRequest } from './publication/on-hub';
import { validateData } from './validate';

/** A license is written into the card here as well, once it is published. */
export interface PublicationRequest extends HubRequest {
  /** The data set's folder, or a run's. */
  readonly data: string;
  readonly allowSimulated?: boolean;
  /** Results folders of evaluations that the card names; those in the run's folder are found. */
  readonly results?: readonly string[];
  /** Whether the questions for Inspect are published as well. */
  readonly benchmark?: boolean;
  /** Length of extended histories, for which further questions are published; absent for none. */
  readonly history?: HistoryTier;
}

export type PublishProgress = { readonly phase: 'checking' | 'comparing' } | CommitProgress;

export interface PublishSurroundings extends OpenOptions {
  readonly progress?: (progress: PublishProgress) => void;
  readonly signal?: AbortSignal;
}

/** The data set has errors: it is not published. */
export class UnsoundData extends PublishError {
  /** @param checked the folder that the findings are of: the data set's, or its run's */
  constructor(
    readonly folder: string,
    readonly checked: string,
    readonly findings: ValidationReport,
  ) {
    super(`${folder} has errors and was not published.`, { again: false });
  }
}

/**
 * Brings a data set to the Hub: its files and its card in one commit on top of the one that they were compared with. What the
 * Hub has already is not sent, and where nothing differs no commit is made.
 * @throws DataError for what is wrong here: no card, simulated data, a name that cannot be
 * @throws UnsoundData when validation finds errors
 * @throws PublishError for what the Hub refuses or does not get; a repeat sends only what is missing
 */
export async function publishData(
  request: PublicationRequest,
  surroundings: PublishSurroundings,
): Promise<Publication> {
  const {
    environment,
    report,
    progress = () => undefined,
    signal = new AbortController().signal,
  } = surroundings;
  requireRepository(request.repo);
  requireBranch(request.branch);
  const { history: tier } = request;
  if (tier !== undefined && !request.benchmark) {
    throw new DataError('--history extends the questions of --benchmark: add it, or leave --history out.');
  }
  const access = await readHubAccess(environment);
  const folder = await readDataSetFolder(request.data, { environment, report });
  requireAllowed(folder.card, folder.dataSet.simulated, request);
  const licensed = request.license === undefined ? folder.card : withLicense(folder.card, request.license);
  const verification = await findVerification(folder.dataSet);
  const verified = verification === undefined ? licensed : withVerificationTotals(licensed, verification);
  const card = withEvaluations(verified, await findEvaluations(folder.dataSet, request.results));
  requireToken(access, request);
  if (folder.unpublished.length > 0)
    report(`Not part of the data set, so not published: ${formatNames(folder.unpublished)}.`);
  // Read through before they are checked: what changes after this is seen when it is sent, so nothing goes out unchecked.
  const localFiles: LocalFile[] = [];
  for (const { path, file } of folder.files) localFiles.push(await readLocalFile(path, file));
  progress({ phase: 'checking' });
  const { dataSets } = await requireSound(folder, surroundings);
  for (const { simulated } of dataSets) requireAllowed(folder.card, simulated, request);
  await requireOthersAllowed(folder, request);
  const publishWith = async (text: string, questions: DataSetFolder['files']): Promise<Publication> => {
    const files = localFiles
      .filter(({ path }) => questions.length === 0 || !isOfBenchmark(path))
      .map((local) => (text === folder.card ? local : withCard(local, folder.card, text)));
    for (const { path, file } of questions) files.push(await readLocalFile(path, file));
    progress({ phase: 'comparing' });
    const hub = new HubDataSet(request.repo, access, signal);
    const publication = await publishTo(hub, { files, card: text }, request, { report, progress });
    if (!request.dryRun && licensed !== folder.card) await writeCard(files, licensed, report);
    return publication;
  };
  const publication = request.benchmark
    ? await useTemporaryDirectory(tmpdir(), 'cupid-benchmark-', async (scratch) => {
        const { dataSet } = folder;
        const source = await openSource({ dataSet, kind: await findKind(dataSet) }, { signal });
        const instances = requireInstances(source, dataSet, '--benchmark');
        const history =
          tier &&
          (await openHistory(join(scratch, 'rows'), instances, {
            tier,
            has: () => true,
            name: dataSet.source,
            report,
          }));
        const { complete, parts } = await writeBenchmark(scratch, instances, request.repo, history);
        const questions = parts.map(({ path }) => ({ path, file: join(scratch, path) }));
        return publishWith(complete(card, listDataPaths(folder)), questions);
      })
    : await publishWith(card, []);
  if (publication.files.some(({ path, state }) => path === EVAL_FILE && state === 'kept')) {
    report(
      `The benchmark on the Hub (${EVAL_FILE}) has other questions now. Add --benchmark to publish it again.`,
    );
  }
  return publication.dryRun || publication.pullRequest !== undefined
    ? publication
    : { ...publication, loadingCode: formatLoadingCode(publication, folder) };
}

function isOfBenchmark(path: string): boolean {
  return path === EVAL_FILE || isOfTask('choice', path) || isOfTask('generation', path);
}

/** Lists the paths of the instances in the repository. */
function listDataPaths({ files, dataSet }: DataSetFolder): string[] {
  const places = new Set(dataSet.files.map(({ path }) => resolve(path)));
  return files.filter(({ file }) => places.has(resolve(file))).map(({ path }) => path);
}

function requireAllowed(
  card: string,
  simulated: boolean | undefined,
  { allowSimulated }: PublicationRequest,
  subject = 'The data',
): void {
  if (allowSimulated) return;
  if (readCard(card).tags.includes(SIMULATED_VERIFICATION_TAG)) {
    throw new DataError(
      `The data was verified by a simulated model, whose verdicts say nothing about the data. Verify it with a real model, or add --allow-simulated to publish it anyway.`,
    );
  }
  if (simulated !== true) return;
  throw new DataError(
    `${subject} is simulated: at least one of its models was a simulation. Add --allow-simulated to publish it anyway.`,
  );
}

/**
 * Checks the files of other splits and configs, which validation does not see.
 * @throws DataError when one is simulated and that is not allowed, or cannot be read
 */
async function requireOthersAllowed(folder: DataSetFolder, request: PublicationRequest): Promise<void> {
  const validatedPaths = new Set([...listDataPaths(folder), PROVENANCE]);
  for (const { path, file } of folder.files) {
    const format = findFormat(path);
    if (validatedPaths.has(path) || format === undefined) continue;
    const namedFile = { path: resolve(file), name: file, within: resolve(folder.folder) };
    const { simulated } = await readMarks(namedFile);
    requireAllowed(folder.card, simulated, request, file);
    if (format !== 'json-lines') continue;
    for await (const row of readJsonLines(namedFile)) {
      if ('problem' in row) throw new DataError(`${file}, line ${row.number}: ${row.problem}`);
    }
  }
}

async function requireSound(
  folder: DataSetFolder,
  surroundings: PublishSurroundings,
): Promise<ValidationReport> {
  const { environment, report, signal } = surroundings;
  const findings = await validateData(folder.checked, { environment, report, ...(signal && { signal }) });
  if (findings.errors > 0) throw new UnsoundData(folder.folder, folder.checked, findings);
  if (findings.warnings > 0) {
    report(
      `Validation found ${formatCount(findings.warnings, 'warning')} and no errors. Show them: cupid validate ${quotePath(folder.checked)}`,
    );
  }
  return findings;
}

function requireToken({ token, address }: HubAccess, { dryRun }: PublicationRequest): void {
  if (token !== undefined || dryRun) return;
  throw new PublishError(
    `No token for the Hub was found, so nothing can be published. ${formatLoginHint(address)}`,
  );
}

/** Returns the card with its new text. The file on this machine stays as it was until that is published. */
function withCard(local: LocalFile, oldCard: string, card: string): LocalFile {
  if (local.path !== CARD) return local;
  // A user's own change of the card is never published in part.
  if (local.sha256 !== computeDigests(oldCard).sha256) throw createChangedError(local.file);
  return { ...local, ...computeDigests(card), contents: new Blob([card]) };
}

/** Writes the card with the license that was published. Where that fails, it is not the publication that has failed. */
async function writeCard(
  files: readonly LocalFile[],
  text: string,
  report: (line: string) => void,
): Promise<void> {
  for (const local of files.filter(({ path }) => path === CARD)) {
    const { file } = local;
    try {
      // A user's own change of the card is never overwritten.
      await requireUnchanged(local);
      await writeAtomically(file, text);
    } catch {
      report(
        `The license was published but not written to ${file}, which was changed in the meantime or cannot be written. Use the same --license the next time.`,
      );
    }
  }
}

/** Formats the Python expression that loads the publication. */
function formatLoadingCode({ repo, branch }: Publication, { card }: DataSetFolder): string {
  const split = readCard(card).testFiles === undefined ? '' : ', split="test"';
  const revision = branch === 'main' ? '' : `, revision=${JSON.stringify(branch)}`;
  return `load_dataset("${repo}"${split}${revision})`;
}

/** @throws DataError when the Hub could have no data set of this name */
function requireRepository(repo: string): void {
  const [owner = '', name = '', ...furtherParts] = repo.split('/');
  if (furtherParts.length === 0 && [owner, name].every(isName) && !name.endsWith('.git')) return;
  const address =
    /^https?:\/\/[^/]+\/(?:datasets\/)?([^/]+\/[^/]+)/.exec(repo) ?? /^datasets\/([^/]+\/[^/]+)$/.exec(repo);
  throw new DataError(
    `--repo ${repo} is not a valid name of a data set on the Hub. Write OWNER/NAME, for example ${address?.[1] ?? 'me/my-cupid'}: each part has letters, digits, ` +
      '"-", "_" and ".", no "-" or "." at either end or twice in a row, and at most 96 characters.',
  );
}

function isName(part: string): boolean {
  return /^(?![-.])[\w.-]{1,96}(?<![-.])$/.test(part) && !/--|\.\./.test(part);
}

/** @throws DataError when Git could have no branch of this name */
function requireBranch(branch: string): void {
  const commit = /^[0-9a-f]{40}$/.test(branch);
  if (!commit && !BROKEN.test(branch) && branch.split('/').every((part) => PART.test(part))) return;
  throw new DataError(
    `--branch ${branch} is not a valid branch name${commit ? ': it is the id of a commit' : ''}. ` +
      'Use a name such as main or v2, without spaces, "..", "~", "^", ":", "?", "*", "[", "\\" and "@{", and without a part that begins or ends with ".".',
  );
}

// As git check-ref-format has it.
const BROKEN = /[\p{Cc} ~^:?*[\\]|\.\.|@\{|^@$|^-/u;

const PART = /^(?!\.).+(?<!\.|\.lock)$/;
