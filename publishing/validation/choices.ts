import { describeShortcuts } from '../../data/card/figures';
import { quoteAnswer } from '../../rules/texts/quote-answer';
import type { DataFigures } from '../../schemas/dataset/data-figures';
import type { Problem } from './findings';

/** Lists what weakens choices between the preferences of a persona (`cupid eval --task choice`). */
export function listChoiceProblems(figures: DataFigures): Problem[] {
  return [
    ...describeShortcuts(figures).map((sentence): Problem => ({
      rule: 'choice-shortcut',
      message: `${sentence} Report paired accuracy, which is 0 for such a model.`,
    })),
    ...(figures.nearlyEqualOptions?.pairs ?? []).map(
      ({ persona_id, preferences: [first, second] }): Problem => ({
        rule: 'nearly-equal-options',
        persona_id,
        message: `two options have nearly the same words, or one negates the other: ${quoteAnswer(first)} and ${quoteAnswer(second)}. Compare them, and leave the persona out if they require the same.`,
      }),
    ),
  ];
}
