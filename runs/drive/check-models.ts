import type { RunListener } from '../../activities/run-events';
import type { Store } from '../../data/store/store';
import { getToday } from '../../engine/model-facts/dates';
import type { ModelUse } from '../../engine/model-facts/uses';
import type { Steering } from '../../schemas/run/steering';
import { parseModelSpec } from '../../schemas/model/model-spec';
import { formatCount, pluralize } from '../../schemas/text/count-text';
import { findMemoryProblem } from '../../workers/memory-check';
import { checkRunModels, listUsesToCheck, type ModelCheck } from '../../workers/model-check';
import { listFindings } from '../plan/model-findings';
import type { Interruption } from './find-server';

export interface CheckObserver extends Interruption {
  /** Shows a line even if progress is not shown. */
  readonly warn: (line: string) => void;
  readonly observe: RunListener;
}

/** Models of a run, or its memory system, that cannot be called with the run's settings. */
class ModelCheckFailed extends Error {
  override readonly name = 'ModelCheckFailed';
}

/**
 * Makes one short call to each model that a run is about to use, and to its memory system. A wrong key, name or URL would cost more later.
 * Shows what it learned, and warnings such as retirements. Writes nothing.
 * @throws ModelCheckFailed with each model that cannot be called, and its remedy; or with the memory system
 */
export async function checkModelsOnce(
  store: Store,
  steering: Steering,
  uses: readonly ModelUse[],
  { report, warn, observe, untilInterrupted }: CheckObserver,
): Promise<ModelCheck | 'interrupted'> {
  const stop = new AbortController();
  const memory = uses.map(({ spec }) => parseModelSpec(spec)).find(({ provider }) => provider === 'memory');
  if (memory !== undefined) {
    report('Checking the memory system with two short messages (--no-check skips this).');
    const problem = await untilInterrupted(findMemoryProblem(memory, stop.signal), () => {
      report('Stopped during the check of the memory system. Nothing was started.');
      stop.abort();
    });
    if (problem === 'interrupted') return problem;
    if (problem?.isFatal === true) {
      throw new ModelCheckFailed(
        `The memory system cannot be used, so nothing was started: ${problem.message}\nFix this, then repeat the same command. With --no-check it starts without this check.`,
      );
    }
    if (problem !== undefined) warn(`Check of the memory system inconclusive: ${problem.message}`);
  }
  const called = listUsesToCheck(uses);
  if (called.length === 0) return { models: [], learned: [] };
  report(`Checking ${formatCount(called.length, 'model')} with one short call each (--no-check skips this).`);
  const checking = checkRunModels(store, steering, called, {
    environment: process.env,
    signal: stop.signal,
    today: getToday(),
    onLearned: (spec, facts, message) => observe({ type: 'learned', spec, facts, message }),
  });
  const check = await untilInterrupted(checking, () => {
    report('Stopped during the check of the models. Nothing was started.');
    stop.abort();
  });
  if (check === 'interrupted') return check;
  const { failures, warnings } = listFindings(check.models);
  for (const warning of warnings) warn(warning);
  if (failures.length === 0) return check;
  throw new ModelCheckFailed(
    [
      `${formatCount(failures.length, 'model')} cannot be called, so nothing was started:`,
      ...failures.map((failure) => `- ${failure}`),
      `Fix ${pluralize(failures.length, 'this', 'these')}, then repeat the same command. With --no-check it starts without this check.`,
    ].join('\n'),
  );
}
