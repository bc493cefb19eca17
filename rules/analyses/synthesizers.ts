import { mean } from 'simple-statistics';
import type { ScoreRow } from '../../schemas/evaluation';
import { settingOf, type Setting } from '../scores/cells';
import { compareKeys } from '../scores/order';
import { groupedBy } from './groups';
import { numbersOf, resultOf, type Numbers } from './numbers';

/** Tested models on data that different models synthesized (figure 10). */
export interface SynthesizerComparison extends Setting {
  entries: SynthesizerEntry[];
}

export interface SynthesizerEntry extends Numbers {
  model: string;
  /** Null where the data do not tell. */
  synthesizer: string | null;
  /** Whether the synthesizer is the model by its name; whether it is of its family is not told. Null where unknown. */
  own_data: boolean | null;
}

/** Tested model × synthesizer in each setting; rows of several results folders may be given together. */
export function compareSynthesizers(rows: readonly ScoreRow[]): SynthesizerComparison[] {
  return groupedBy(rows, settingOf).map((setting) => ({
    ...setting.name,
    entries: groupedBy(setting.rows, ({ model, synthesizer }) => ({ model, synthesizer })).map((entry) => ({
      ...entry.name,
      own_data:
        entry.name.synthesizer === null ? null : entry.name.synthesizer === withoutOptions(entry.name.model),
      ...numbersOf(entry.rows),
    })),
  }));
}

/** A simulated model has its options in its name; the data it makes do not tell them. */
function withoutOptions(model: string): string {
  return model.startsWith('simulated:') ? (model.split('?')[0] ?? model) : model;
}

/**
 * The personas with the lowest mean performance over all models, lowest first: F.5 synthesizes 64 of them again. It does not
 * say which performance: here the mean over the models of the mean F1 of the persona's inferences, in all settings given.
 * Personas without a result are left out; of equals the first by id comes first.
 */
export function lowestPersonas(rows: readonly ScoreRow[], count: number): string[] {
  const inferences = rows.filter(({ task }) => task === 'inference');
  return groupedBy(inferences, ({ persona_id }) => persona_id)
    .flatMap((persona) => {
      const means = groupedBy(persona.rows, ({ model }) => model).flatMap((model) => {
        const results = model.rows.map(resultOf).filter((result) => result !== null);
        return results.length === 0 ? [] : [mean(results)];
      });
      return means.length === 0 ? [] : [{ id: persona.name, performance: mean(means) }];
    })
    .toSorted((one, other) => compareKeys([one.performance, one.id], [other.performance, other.id]))
    .slice(0, count)
    .map(({ id }) => id);
}
