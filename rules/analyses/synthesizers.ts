import type { ScoreRow } from '../../schemas/evaluation/evaluation';
import type { SynthesizerComparison } from '../../schemas/evaluation/results/analyses';
import { getSetting } from '../scores/cells';
import { groupRows } from './groups';
import { computeNumbers } from '../scores/numbers';

/** Compares tested models by synthesizer in each setting. The rows may come from several results folders. */
export function compareSynthesizers(rows: readonly ScoreRow[]): SynthesizerComparison[] {
  return groupRows(rows, getSetting).map((setting) => ({
    ...setting.name,
    entries: groupRows(setting.rows, ({ model, synthesizer }) => ({ model, synthesizer })).map((entry) => ({
      ...entry.name,
      own_data:
        entry.name.synthesizer === null ? null : entry.name.synthesizer === removeOptions(entry.name.model),
      ...computeNumbers(entry.rows),
    })),
  }));
}

/** Removes the options from the name of a simulated model, because data sets name it without them. */
function removeOptions(model: string): string {
  return model.startsWith('simulated:') ? (model.split('?')[0] ?? model) : model;
}
