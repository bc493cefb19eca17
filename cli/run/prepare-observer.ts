import type { PrepareObserver } from '../../runs/evaluate/prepare';
import { createCountProgress } from '../progress-lines';
import type { ProgressView } from './progress';

/** Shows the preparation of an evaluation, or of a verification. */
export function createPrepareObserver(view: Pick<ProgressView, 'say'>): PrepareObserver {
  return {
    report: view.say,
    onRead: createCountProgress('Reading the data', 'instances'),
    onDrawn: createCountProgress('Extending the histories', 'steps'),
  };
}
