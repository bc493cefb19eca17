import { formatCount, formatNumber, pluralize } from '../../formatting/count-text';
import type { BatchObserver } from '../../runs/drive/drive-batches';
import type { ProgressView } from './progress';

/** Shows how far the batches of a run are, and what came of them. */
export function createBatchObserver(view: ProgressView): BatchObserver {
  return {
    onBatchProgress({ collecting, batches, ended, requests, answered }) {
      const sent = `${formatNumber(ended)} of ${formatCount(batches, 'batch', 'batches')} ended, ${formatNumber(answered)} of ${formatCount(requests, 'request')} answered`;
      const summary = collecting ? 'batches: collecting calls' : `batches: ${sent}`;
      view.update({ phase: 'batches', summary, inProgress: [] });
    },
    onBatchesEnded({ batches, answered, left }) {
      const rest =
        left === 0
          ? ''
          : ` ${formatCount(left, 'call')} without an answer ${pluralize(left, 'is', 'are')} sent one by one.`;
      view.say(
        batches === 0
          ? 'No call could go into a batch.'
          : `${formatCount(batches, 'batch', 'batches')} answered ${formatCount(answered, 'call')}.${rest}`,
      );
    },
  };
}
