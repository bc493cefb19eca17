import type { EvaluationResults } from '../../schemas/evaluation/results';
import { MEASURES } from '../../schemas/evaluation/measure';
import { toQuantity } from '../../schemas/text/table';
import { MOST_WORDS } from '../../rules/analyses/overlong';
import {
  buildModelTable,
  buildRowsByContext,
  buildSections,
  groupByEvaluation,
  type Section,
} from './section';

/** Builds figure 9. Returns nothing if all lengths are in one bin. */
export function buildLengthSections(
  { bins, cells }: EvaluationResults['analyses']['by_length'],
  tokenizer: string,
): Section[] {
  const group = 'Most tokens of the prior sessions';
  const columns = bins.map(({ max_tokens }) => ({ title: `${max_tokens}`, group }));
  const groups = bins.length < 2 ? [] : groupByEvaluation(cells);
  return buildSections(
    'lengths',
    'By length of the history (figure 9)',
    `Micro F1 or accuracy (%), or mean score, in bins of equal size, by tokens of ${tokenizer}.`,
    groups.map(({ task, line, entries }) => ({
      title: line,
      columns,
      rows: [
        { name: 'instances', cells: bins.map(({ n_instances }) => toQuantity(n_instances)) },
        ...buildRowsByContext(entries, (contextEntries) =>
          contextEntries.map(({ model: name, bins: modelBins }) => ({
            name,
            cells: modelBins.map(({ n_instances: n, ...bin }, at) => {
              const isOfAll = n === 0 || n === bins[at]?.n_instances;
              return toQuantity(bin[MEASURES[task].key], MEASURES[task].form, isOfAll ? {} : { n });
            }),
          })),
        ),
      ],
    })),
  );
}

/** Builds a table of how often models exceed the length that the prompt asks for. */
export function buildOverlongSections(
  shares: EvaluationResults['analyses']['overlong_inferences'],
): Section[] {
  return buildSections(
    'overlong',
    `Inferences over ${MOST_WORDS} words`,
    `The prompt asks for ${MOST_WORDS} words at most (figure 21).`,
    [
      buildModelTable([], shares, [
        { title: 'inferences', cell: ({ n_inferences }) => toQuantity(n_inferences) },
        { title: `over ${MOST_WORDS}`, cell: ({ n_overlong }) => toQuantity(n_overlong) },
        { title: '%', cell: ({ share }) => toQuantity(share, 'percent') },
        { title: 'mean words', cell: ({ mean_words }) => toQuantity(mean_words, 'mean') },
        { title: 'most words', cell: ({ most_words }) => toQuantity(most_words) },
      ]),
    ],
  );
}
