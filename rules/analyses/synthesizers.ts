import type { ScoreRow } from '../../schemas/evaluation/evaluation';
import { getSetting, type Setting } from '../scores/cells';
import { groupRows } from './groups';
import { computeNumbers, type Numbers } from '../scores/numbers';

/** Tested models on data that different models synthesized (figure 10). */
export interface SynthesizerComparison extends Setting {
  entries: SynthesizerEntry[];
}

interface SynthesizerEntry extends Numbers {
  model: string;
  /** Null if the data do not name it. */
  synthesizer: string | null;
  /** Whether the model synthesized the data itself, by its name; relatives of the model do not count. Null if unknown. */
  own_data: boolean | null;
}

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
