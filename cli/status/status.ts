import { resolve } from 'node:path';
import { readReviewStatus } from '../../runs/review/status';
import { readStatus } from '../../runs/status/read-status';
import type { RunStatus } from '../../runs/status/run-status';
import { createRunFinder } from '../../runs/folder/find-run';
import { quotePath } from '../../schemas/text/shell-text';
import { EXIT, UsageError } from '../exit';
import { waitUntilInterrupted } from '../interrupt';
import { printJson, printMessage, printResult } from '../output';
import { renderStatus } from './status-text';
import { renderReviewStatus } from './review-text';
import { createScreen } from './screen';
import { renderTrend, takeReadings, type StatusReading } from './trend';
import { watchRun } from './watch';

interface StatusOptions {
  readonly watch?: true;
  readonly json?: true;
  readonly profile?: string;
}

/**
 * Runs `cupid status`: prints the status of a run once, or until the run is finished; that of a review once. Returns the exit code.
 * @throws RunNotFound when there is no run, unless one is to be watched
 */
export async function showStatus(run: string, options: StatusOptions): Promise<number> {
  const review = await readReviewStatus(run);
  if (review !== undefined) {
    if (options.watch === true) {
      throw new UsageError(`--watch follows a run, but ${run} contains a review. Leave it out.`);
    }
    printResult(options, review, () => renderReviewStatus(review, run));
    return EXIT.done;
  }
  const find = createRunFinder(run, options.profile);
  const readRun = async () => readStatus(await find());
  if (options.watch !== true) {
    const now = await readRun();
    printResult(options, now, () => renderStatus(now, run));
    return EXIT.done;
  }
  const screen = createScreen(process.stdout, `cupid status ${quotePath(run)}`);
  const readings: StatusReading[] = [];
  const show = (now: RunStatus) => {
    if (options.json === true) {
      printJson(now);
      return;
    }
    screen.draw(renderStatus(now, run, renderTrend(readings)));
  };
  const leaving = new AbortController();
  const watching = watchRun(readRun, {
    onStatus(now, isNews) {
      readings.push(...takeReadings(now, performance.now()));
      if (isNews) show(now);
    },
    onMissing: () =>
      printMessage(
        `There is no run at ${resolve(run)} yet. Waiting for one to begin there. If the name is wrong, press Ctrl-C and name another folder.`,
      ),
    intervalMs: process.stdout.isTTY ? 2_000 : 10_000,
    leaving: leaving.signal,
  });
  const end = await waitUntilInterrupted(watching, () => leaving.abort()).finally(() => screen.end());
  return end === 'interrupted' ? EXIT.interrupted : EXIT.done;
}
