import { HubError } from '../../data/hub/hub-error';
import { formatNames } from '../../schemas/text/value-text';
import {
  publishData,
  type PublishProgress,
  type PublishSurroundings,
  UnsoundData,
  type PublicationRequest,
} from '../../publishing/publish';
import { publishAccepted } from '../../publishing/publish-accepted';
import { PublishError } from '../../publishing/publication/error';
import { describeFinding } from '../../publishing/validation/finding-text';
import { formatCount, formatNumber } from '../../schemas/text/count-text';
import type { FileState, Publication } from '../../schemas/dataset/publication';
import type { ValidatedDataSet } from '../../schemas/dataset/validation';
import { formatThisCommand, formatThisCommandWithout } from '../command-line';
import { EXIT } from '../exit';
import { waitUntilInterrupted } from '../interrupt';
import { printMessage, printResult } from '../output';
import { reportProgress } from '../progress-lines';
import { quotePath } from '../../schemas/text/shell-text';

interface PublishOptions extends Partial<PublicationRequest> {
  readonly repo: string;
  readonly branch: string;
  /** The folder of a verification; true for the one in the run's folder. */
  readonly verified?: string | true;
  readonly json?: true;
}

/** Runs 'cupid publish': uploads a data set to the Hub in one commit. Returns the exit code. */
export async function publish(data: string, options: PublishOptions): Promise<number> {
  const stop = new AbortController();
  let last: PublishProgress = { phase: 'checking' };
  let committing = false;
  const nextLine = createProgressRenderer();
  using _progress = reportProgress(() => nextLine(last));
  try {
    const surroundings: PublishSurroundings = {
      environment: process.env,
      report: printMessage,
      progress: (progress) => {
        last = progress;
        committing ||= 'phase' in progress && progress.phase === 'committing';
      },
      signal: stop.signal,
    };
    const request = { ...options, data };
    const { verified } = options;
    const work =
      verified === undefined
        ? publishData(request, surroundings)
        : publishAccepted(request, verified, surroundings);
    const publication = await waitUntilInterrupted(work, () => stop.abort());
    if (publication === 'interrupted') {
      const state = committing
        ? 'The commit was requested and may have been created.'
        : 'Nothing was committed.';
      printMessage(`Stopped. ${state} ${describeRepeat()}`);
      return EXIT.interrupted;
    }
    const publishCommand = formatThisCommandWithout('--dry-run');
    printResult(options, publication, () => renderPublication(publication, publishCommand));
    return EXIT.done;
  } catch (error) {
    if (!(error instanceof UnsoundData)) throw withRepeat(error);
    for (const line of renderUnsoundData(error)) printMessage(line);
    return EXIT.withFailures;
  }
}

/** Returns the error with the command that publishes when its cause is gone, if there is one. */
function withRepeat(error: unknown): unknown {
  if (error instanceof HubError) return new Error(`${error.message} ${describeRepeat()}`, { cause: error });
  if (!(error instanceof PublishError) || error.again === false) return error;
  return new Error(`${error.message} ${describeRepeat(...error.again)}`, { cause: error });
}

/** Names the command that publishes after a failure. @param options that it needs besides */
function describeRepeat(...options: readonly string[]): string {
  return `Run again; it uploads only what is missing: ${formatThisCommand(...options)}`;
}

/** Creates a function that returns the progress line to print, or undefined if that line was just printed. */
export function createProgressRenderer(): (progress: PublishProgress) => string | undefined {
  let printed: string | undefined;
  return (progress) => {
    const line = formatProgress(progress);
    if (line === printed) return undefined;
    printed = line;
    return line;
  };
}

function formatProgress(progress: PublishProgress): string {
  if ('phase' in progress) return `${PHASES[progress.phase]} …`;
  const verb = progress.doing === 'hashing' ? 'Reading' : 'Uploading';
  return `${verb} ${progress.path}: ${Math.floor(progress.share * 100)} %`;
}

const PHASES = {
  checking: 'Checking the data set',
  comparing: 'Comparing with the Hub',
  uploading: 'Uploading',
  committing: 'Committing',
} as const;

/** @param publishCommand command that publishes after a trial run */
function renderPublication(publication: Publication, publishCommand: string): string[] {
  const { repo, branch, url, commit, pullRequest, loadingCode, unchanged, dryRun, files } = publication;
  const place = `${repo}, branch ${branch}`;
  const unchangedFiles = files.filter(({ state }) => state === 'kept');
  const lines = files
    .filter(({ state }) => state !== 'kept')
    .map(({ path, bytes, state }) => `  ${STATES[state].padEnd(9)}  ${path}  (${formatNumber(bytes)} bytes)`);
  const unchangedLines =
    unchangedFiles.length === 0
      ? []
      : [`  Only on the Hub, not changed: ${formatNames(unchangedFiles.map(({ path }) => path))}`];
  if (unchanged) {
    const state =
      pullRequest === undefined ? `published as commit ${commit} of ${place}` : `proposed as ${pullRequest}`;
    return [`Nothing to do. Already ${state}.`, ...unchangedLines, url];
  }
  if (dryRun)
    return [
      `Would publish to ${place}:`,
      ...lines,
      ...unchangedLines,
      'Nothing was uploaded.',
      `Publish it: ${publishCommand}`,
    ];
  if (pullRequest !== undefined) return [`Proposed to ${place}:`, ...lines, ...unchangedLines, pullRequest];
  return [
    `Published to ${place}, as commit ${commit}:`,
    ...lines,
    ...unchangedLines,
    url,
    ...(loadingCode === undefined ? [] : [`Load it: ${loadingCode}`]),
  ];
}

const STATES: Readonly<Record<FileState, string>> = {
  new: 'new',
  changed: 'changed',
  same: 'unchanged',
  removed: 'removed',
  kept: 'kept',
  unknown: 'unknown',
};

function renderUnsoundData({ folder, checked, findings: { dataSets, errors } }: UnsoundData): string[] {
  const lines = dataSets.flatMap(renderErrors).slice(0, MOST_SHOWN);
  return [
    `${folder} was not published: ${formatCount(errors, 'error')}.`,
    ...lines.map((line) => `  ${line}`),
    ...(errors > lines.length ? [`  and ${formatCount(errors - lines.length, 'more error')}`] : []),
    `Fix the errors first. Show all findings: cupid validate ${quotePath(checked)}`,
  ];
}

const MOST_SHOWN = 5;

function renderErrors({ source, findings }: ValidatedDataSet, _: number, all: readonly unknown[]): string[] {
  // Files of several data sets have the same names.
  const prefix = all.length > 1 ? `${source}: ` : '';
  return findings
    .filter(({ severity }) => severity === 'error')
    .map((finding) => prefix + describeFinding(finding));
}
