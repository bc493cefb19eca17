import { openStoredRows } from '../../data/run/evaluation-plan';
import { readHistories, writeHistories } from '../../data/run/histories';
import { renderInteractionLog } from '../../data/prompts/evaluation-values';
import type { Store } from '../../data/store/store';
import { listTrials } from '../../rules/method/evaluation-work';
import { drawPersonaFillers, type DrawingObserver } from '../../rules/trials/histories';
import { getHistoryTier, HISTORY_TIERS } from '../../schemas/evaluation/context';
import { countDataStates } from '../../schemas/evaluation/data-state';
import type { EvaluationInputs } from '../../schemas/evaluation/evaluation-run';

/**
 * Draws and stores the sessions that extend the histories of the evaluated rows, as far as they are not stored.
 * @throws InputError for histories that are longer than their tier, and for data that are too small for it
 */
export async function keepFillers(
  store: Store,
  inputs: EvaluationInputs,
  observer: DrawingObserver,
): Promise<void> {
  const tiers = new Set(inputs.cells.map(({ context }) => getHistoryTier(context)));
  const tier = HISTORY_TIERS.findLast((candidate) => tiers.has(candidate));
  if (tier === undefined) return;
  const rows = await openStoredRows(store, countDataStates(inputs.data));
  const extended = new Set(
    listTrials(inputs, rows.index).flatMap(({ instance, context }) =>
      getHistoryTier(context) === undefined ? [] : [instance],
    ),
  );
  const shortest = HISTORY_TIERS.find((candidate) => tiers.has(candidate)) ?? tier;
  const { source } = inputs.data;
  const { seed } = inputs.settings;
  const stored = await readHistories(store);
  const data = { ...rows, source, renderLog: renderInteractionLog };
  const drawing = { tier, shortest, seed, stored, ...observer };
  const histories = await drawPersonaFillers(data, ({ number }) => extended.has(number), drawing);
  await writeHistories(store, histories, stored);
}
