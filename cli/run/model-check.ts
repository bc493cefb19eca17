import type { ControlStart } from '../../runs/control/control';
import type { Store } from '../../data/store/store';
import { formatCount, pluralize } from '../../schemas/text/count-text';
import type { ModelUse } from '../../engine/model-facts/uses';
import { checkRunModels, listUsesToCheck, type ModelCheck } from '../../workers/model-check';
import { waitUntilInterrupted } from '../interrupt';
import { listFindings } from '../../runs/plan/model-findings';
import type { ProgressView } from './progress';
import { getToday } from '../today';

/** Models of a run that cannot be called with the run's settings. */
class ModelCheckFailed extends Error {
  override readonly name = 'ModelCheckFailed';
}

/**
 * Makes one short call to each model that a run is about to use, before a wrong key, name or parameter costs more.
 * Prints what it learned, and warnings such as retirements. Writes nothing.
 * @throws ModelCheckFailed with each model that cannot be called, and its remedy
 */
export async function checkBeforeSpending(
  store: Store,
  { steering }: Pick<ControlStart, 'steering'>,
  uses: readonly ModelUse[],
  view: ProgressView,
): Promise<ModelCheck | 'interrupted'> {
  const called = listUsesToCheck(uses);
  if (called.length === 0) return { models: [], learned: [] };
  view.say(
    `Checking ${formatCount(called.length, 'model')} with one short call each (--no-check skips this).`,
  );
  const stop = new AbortController();
  const checking = checkRunModels(store, steering, called, {
    environment: process.env,
    signal: stop.signal,
    today: getToday(),
    onLearned: (spec, facts, message) => view.observe({ type: 'learned', spec, facts, message }),
  });
  const check = await waitUntilInterrupted(checking, () => {
    view.say('Stopped during the check of the models. Nothing was started.');
    stop.abort();
  });
  if (check === 'interrupted') return check;
  const { failures, warnings } = listFindings(check.models);
  for (const warning of warnings) view.warn(warning);
  if (failures.length === 0) return check;
  throw new ModelCheckFailed(
    [
      `${formatCount(failures.length, 'model')} cannot be called, so nothing was started:`,
      ...failures.map((failure) => `- ${failure}`),
      `Fix ${pluralize(failures.length, 'this', 'these')}, then repeat the same command. With --no-check it starts without this check.`,
    ].join('\n'),
  );
}
