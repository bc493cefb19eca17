import type { EvaluationResults } from '../../evaluations/results';
import { formatPercent } from '../../formatting/numbers';
import { indentName, buildRowsByContext, buildSections, type Section } from './section';

/** What the prompt asks for. */
const MOST_WORDS = 30;

/** How far models keep to the length that the prompt asks for. */
export function buildOverlongSections(
  shares: EvaluationResults['analyses']['overlong_inferences'],
): Section[] {
  return buildSections(
    'overlong',
    `Inferences over ${MOST_WORDS} words`,
    `The prompt asks for ${MOST_WORDS} words at most (figure 21).`,
    shares.length === 0
      ? []
      : [
          {
            above: [],
            columns: ['', 'inferences', `over ${MOST_WORDS}`, '%', 'mean words', 'most words'].map(
              (title) => ({ title }),
            ),
            rows: buildRowsByContext(shares, (own) =>
              own.map(({ model, n_inferences, n_overlong, share, mean_words, most_words }) => [
                indentName(model),
                `${n_inferences}`,
                `${n_overlong}`,
                formatPercent(share),
                mean_words.toFixed(1),
                `${most_words}`,
              ]),
            ),
          },
        ],
  );
}
