import { createHash } from 'node:crypto';
import { EventEmitter, once } from 'node:events';
import { hostname } from 'node:os';
import { resolve } from 'node:path';
import type { DataSet } from '../../data/sets/data-set';
import { openData } from '../../data/sets/open';
import { servePage } from '../../pages/local-page';
import { listPresent } from '../../schemas/text/list-present';
import { formatCount } from '../../schemas/text/count-text';
import { findVerificationFolder, readVerification } from '../../data/sets/verification';
import { createReviewApi, REVIEW_PAGE } from '../../pages/review/api';
import { writeVerifiedData } from '../../publishing/review/by-model';
import { listRaters } from '../../rules/review/outcome';
import { isDecided, summarizeReview } from '../../rules/review/summary';
import {
  Annotations,
  getReview,
  getReviewScratch,
  lockReview,
  readReviewPlan,
  REVIEW_FOLDER,
  type ReviewFolder,
} from '../../runs/review/folder';
import { writeReviewedData } from '../../publishing/review/by-people';
import { checkWritable } from '../../runs/folder/run-folder';
import { formatThisCommand } from '../command-line';
import { EXIT, UsageError } from '../exit';
import { waitUntilInterrupted } from '../interrupt';
import { print, printMessage } from '../output';
import { checkNewReviewFolder } from '../../runs/plan/new-folder';
import { describeTunnel } from '../ssh-tunnel';
import { chooseResultsDir } from '../../runs/folder/results-dir';
import { chooseSettings, openReview, type ReviewChoices } from '../../runs/review/open-review';
import { renderNext, renderRaters, renderReviewResult, renderUndecided } from './result-text';

interface ReviewOptions extends ReviewChoices {
  readonly resultsDir?: string;
  readonly port?: number;
  readonly publicUrl?: string;
  /** The folder of a verification; true for the one in the run's folder. */
  readonly auto?: string | true;
}

/**
 * Runs 'cupid review': serves a page on which people check the instances, until they are done or Ctrl-C. Returns the
 * exit code.
 */
export async function review(data: string, options: ReviewOptions): Promise<number> {
  const path = await chooseResultsDir(data, options.resultsDir, REVIEW_FOLDER);
  requireFitting(options);
  const surroundings = { report: printMessage, environment: process.env };
  const dataSet = await openData(data, surroundings);
  if (options.auto !== undefined) return reviewByModel(path, dataSet, options.auto);
  // Checked before the lock creates the folder, so that a rejected command leaves nothing behind.
  const plan = await readReviewPlan(path);
  chooseSettings(path, plan, options);
  if (plan === undefined) await checkNewReviewFolder(path);
  await checkWritable(path, path, '--results-dir');
  using _lock = await lockReview(path);
  const folder = await openReview(path, dataSet, options, surroundings);
  const annotations = await Annotations.open(path);
  // All tasks may be decided already: by annotations right before a crash, or by a changed rule.
  const isOver = options.finish === true || isDecided(getReview(folder, annotations));
  await using page = isOver ? undefined : await serve(folder, annotations, options);
  if (page !== undefined) {
    const outcome = await waitUntilInterrupted(
      page.decided,
      () => undefined,
      'Stopped at once. Every annotation that was saved is kept.',
    );
    if (outcome === 'interrupted') {
      printMessage(
        `Stopped. Every annotation is kept. Continue with the same command: ${formatThisCommand()}`,
      );
      return EXIT.interrupted;
    }
  }
  // The page is still served, because the last rater's browser waits for its answer.
  const state = getReview(folder, annotations);
  const result = await writeReviewedData(folder, state, surroundings);
  const summary = summarizeReview(state);
  const place = { data, path, simulated: dataSet.simulated === true };
  print(
    [
      ...renderReviewResult(path, result),
      ...renderUndecided(place, result),
      ...renderRaters(summary),
      ...renderNext(place, summary, result),
    ].join('\n'),
  );
  return result.open === 0 ? EXIT.done : EXIT.withFailures;
}

/** @throws UsageError when options cannot be combined */
function requireFitting({ auto, ...options }: ReviewOptions): void {
  if (auto === undefined) return;
  const unused = Object.entries({
    '--rater': options.rater,
    '--third': options.third,
    '--accept': options.accept,
    '--seed': options.seed,
    '--sample': options.sample,
    '--verified': options.verified,
    '--port': options.port,
    '--public-url': options.publicUrl,
    '--finish': options.finish,
  }).flatMap(([flag, value]) => (value === undefined ? [] : flag));
  if (unused.length > 0) {
    throw new UsageError(
      `--auto works without people, so it cannot be combined with ${unused.join(', ')}. Leave one of them out.`,
    );
  }
}

/** A page that takes the annotations of raters. */
interface ServedReview extends AsyncDisposable {
  /** Resolves once every task is decided. */
  readonly decided: Promise<unknown>;
}

/** Serves the page of a review, and prints the link of each rater. */
async function serve(
  folder: ReviewFolder,
  annotations: Annotations,
  { port, publicUrl }: ReviewOptions,
): Promise<ServedReview> {
  const events = new EventEmitter<{ decided: [] }>();
  const decided = once(events, 'decided');
  const page = await servePage({
    files: REVIEW_PAGE,
    api: createReviewApi(folder, annotations, () => events.emit('decided')),
    visitors: listRaters(folder.plan),
    port,
    usualPort: choosePort(folder.path),
    publicUrl,
    environment: process.env,
  });
  for (const [name, link] of page.links) print(`${name}: ${link}`);
  const pagePort = new URL(page.url).port;
  const browser = page.isProxied ? 'a browser' : 'a browser on this machine';
  printMessage(
    listPresent(
      `${formatCount(folder.plan.tasks, 'task')}. Open these links in ${browser}, each in the browser of its rater. Anyone with a link acts as its rater.`,
      !page.isProxied &&
        (describeTunnel(page.url, process.env) ??
          `On another machine, first run there: ssh -N -L ${pagePort}:127.0.0.1:${pagePort} ${hostname()}`),
      'Press Ctrl-C to stop; the same command continues.',
    ).join('\n'),
  );
  return { decided, [Symbol.asyncDispose]: () => page.close() };
}

/** Chooses the same port for a folder every time, below the ports that systems assign themselves, so that it is probably free. */
function choosePort(path: string): number {
  return 20_000 + (createHash('sha256').update(resolve(path)).digest().readUInt16BE(0) % 10_000);
}

/** Runs 'cupid review --auto': a model's verdicts replace those of people. Returns the exit code. */
async function reviewByModel(path: string, dataSet: DataSet, auto: string | true): Promise<number> {
  if ((await readReviewPlan(path)) !== undefined) {
    throw new UsageError(
      `${path} contains a review by people, which --auto does not replace. Name another folder: --results-dir DIR`,
    );
  }
  const verified = auto === true ? await findVerificationFolder(dataSet) : auto;
  // Read before the lock creates the folder, so that a rejected command leaves nothing behind.
  const verification = await readVerification(verified, dataSet, '--auto');
  using _lock = await lockReview(path);
  const place = { path, scratch: getReviewScratch(path) };
  const result = await writeVerifiedData(place, dataSet, verification);
  print(renderReviewResult(path, result).join('\n'));
  return result.open === 0 ? EXIT.done : EXIT.withFailures;
}
