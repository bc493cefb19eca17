import { formatBudget } from '../../schemas/text/amount-text';
import { findPauseAtRest } from '../../runs/control/at-rest';
import type { RunObserver } from '../../runs/drive/carry-out';
import { formatCount, pluralize, formatNumber } from '../../schemas/text/count-text';
import type { Directives } from '../../workflows/messages';
import { formatThisCommand, formatThisCommandWith } from '../command-line';
import { quotePath } from '../../schemas/text/shell-text';
import { waitUntilInterrupted } from '../interrupt';
import type { ProgressView } from './progress';

/** Shows the run in a folder, and lets Ctrl-C stop it. */
export function createRunObserver(folder: string, view: ProgressView): RunObserver {
  const pause = createPauseReporter(folder, view);
  return {
    report: view.say,
    warn: view.warn,
    observe: view.observe,
    onDirectives: pause.report,
    onStopped({ isOnCluster }) {
      const { calls, earlierCalls } = view.totals();
      const byCommand =
        earlierCalls === 0 ? '' : ` (${formatNumber(calls - earlierCalls)} made by this command)`;
      view.hide();
      view.say(
        `Stopped. ${formatCount(calls, 'call')} of this run ${pluralize(calls, 'is', 'are')} in the journal${byCommand} and will not be repeated.\n` +
          (isOnCluster
            ? `If other workers serve this run, they keep making calls. To stop them, too: cupid pause ${quotePath(folder)}\n`
            : '') +
          formatContinuation(pause.findCause(), folder),
      );
    },
    untilInterrupted(work, first, message) {
      const stop = () => {
        view.end();
        first();
      };
      return waitUntilInterrupted(work, stop, message);
    },
    onBatchProgress({ collecting, batches, ended, requests, answered }) {
      const counts = `${formatNumber(ended)} of ${formatCount(batches, 'batch', 'batches')} ended, ${formatNumber(answered)} of ${formatCount(requests, 'request')} answered`;
      const summary = collecting ? 'batches: collecting calls' : `batches: ${counts}`;
      view.update({ phase: 'batches', summary, inProgress: [] });
    },
    onBatchesEnded({ batches, answered, left }) {
      const remainder =
        left === 0
          ? ''
          : ` ${formatCount(left, 'call')} without an answer ${pluralize(left, 'is', 'are')} sent one by one.`;
      view.say(
        batches === 0
          ? 'No call could go into a batch.'
          : `${formatCount(batches, 'batch', 'batches')} answered ${formatCount(answered, 'call')}.${remainder}`,
      );
    },
  };
}

type PauseCause = NonNullable<Directives['pause']>['by'];

/** Formats how a stopped run is continued. The same command would pause again at once if the run is paused. */
function formatContinuation(pausedBy: PauseCause | undefined, folder: string): string {
  if (pausedBy === undefined) return `Continue with the same command: ${formatThisCommand()}`;
  return pausedBy === 'budget'
    ? `Its budget is used up. Continue with a higher one: ${formatThisCommandWith('--budget', 'AMOUNT')}`
    : `It stays paused. To continue, end the pause: cupid resume ${quotePath(folder)}\nThen repeat the same command: ${formatThisCommand()}`;
}

/** Creates what prints once why the run is paused and how to resume it, even without a progress display: the run would wait for ever. */
function createPauseReporter(
  path: string,
  view: ProgressView,
): { readonly report: (directives: Directives) => void; readonly findCause: () => PauseCause | undefined } {
  let shownCause: PauseCause | undefined;
  const report = ({ pause, budget, modelTable }: Directives) => {
    if (pause?.by === shownCause) return;
    shownCause = pause?.by;
    view.stands(shownCause === undefined ? undefined : STANDS[shownCause]);
    if (pause === undefined) {
      // A run whose budget is spent pauses again before its next call.
      const { paused: nextPause } = findPauseAtRest({ paused: false, budget, modelTable }, view.ledger());
      if (nextPause === undefined) view.warn('The run was resumed.');
    } else if (pause.by === 'user') {
      view.warn(`The run is paused. Resume it: cupid resume ${quotePath(path)}`);
    } else {
      const limit = budget === undefined ? '' : ` of ${formatBudget(budget)}`;
      view.warn(
        `The budget${limit} is used up, so the run is paused. Everything is kept. Raise the budget to resume it: cupid set ${quotePath(path)} --budget AMOUNT`,
      );
    }
  };
  return { report, findCause: () => shownCause };
}

const STANDS = { user: 'paused', budget: 'budget used up' } as const;
