import type { ScoreRow } from '../../schemas/evaluation/evaluation';
import { getSetting, type Setting } from '../scores/cells';
import { groupRows } from './groups';
import { computeNumbers, type Numbers } from '../scores/numbers';

/** Tested models on data that different models synthesized (figure 10). */
interface SynthesizerComparison extends Setting {
  entries: SynthesizerEntry[];
}

interface SynthesizerEntry extends Numbers {
  model: string;
  /** Null where the data do not say. */
  synthesizer: string | null;
  /** Whether the synthesizer is the model by its name; it does not cover the model's family. Null where unknown. */
  own_data: boolean | null;
}

/** Tested model × synthesizer in each setting; rows of several results folders may be given together. */
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

/** Returns a simulated model has its options in its name; the data it makes do not. */
function removeOptions(model: string): string {
  return model.startsWith('simulated:') ? (model.split('?')[0] ?? model) : model;
}
