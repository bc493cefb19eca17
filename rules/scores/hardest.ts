import { Mean } from '../statistics/tally';
import { compareKeys } from './order';

/** The F1 of one instance of a persona, by one model. */
export interface InferenceScore {
  readonly persona_id: string;
  readonly model: string;
  readonly f1: number;
}

/** A persona with the mean F1 of its instances over the models. */
interface RankedPersona {
  readonly persona_id: string;
  readonly f1: number;
}

/**
 * Ranks personas by how badly their preferences are inferred, hardest first (paper, F.5). A persona's value is the mean over the models of each
 * model's mean F1 over the persona's instances. Ties are ordered by id.
 */
export function rankByHardness(scores: Iterable<InferenceScore>): RankedPersona[] {
  const personas = new Map<string, Map<string, Mean>>();
  for (const { persona_id: persona, model, f1 } of scores) {
    const models = personas.get(persona) ?? new Map<string, Mean>();
    const mean = models.get(model) ?? new Mean();
    mean.add(f1);
    personas.set(persona, models.set(model, mean));
  }
  return [...personas]
    .map(([persona, models]) => {
      const mean = new Mean();
      for (const ofModel of models.values()) mean.add(ofModel.value() ?? 0);
      return { persona_id: persona, f1: mean.value() ?? 0 };
    })
    .toSorted((a, b) => compareKeys([a.f1, a.persona_id], [b.f1, b.persona_id]));
}
