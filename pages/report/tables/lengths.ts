import type { EvaluationResults } from '../../../schemas/evaluation/results';
import { MEASURES } from '../../../schemas/evaluation/measure';
import { formatPercent } from '../../../schemas/text/numbers';
import { MOST_WORDS } from '../../../rules/analyses/overlong';
import {
  buildModelTable,
  buildRowsByContext,
  buildSections,
  groupByEvaluation,
  indentName,
  type Section,
} from './section';

/** Builds figure 9. Returns nothing if all lengths are in one bin. */
export function buildLengthSections(
  { bins, cells }: EvaluationResults['analyses']['by_length'],
  tokenizer: string,
): Section[] {
  const group = 'Most tokens of the prior sessions';
  const columns = [{ title: '' }, ...bins.map(({ max_tokens }) => ({ title: `${max_tokens}`, group }))];
  const groups = bins.length < 2 ? [] : groupByEvaluation(cells);
  return buildSections(
    'lengths',
    'By length of the history (figure 9)',
    `Micro F1 or accuracy (%), or mean score, in bins of equal size, by tokens of ${tokenizer}.`,
    groups.map(({ task, line, entries }) => ({
      above: [line],
      columns,
      rows: [
        ['instances', ...bins.map(({ n_instances }) => `${n_instances}`)],
        ...buildRowsByContext(entries, (contextEntries) =>
          contextEntries.map(({ model, bins: modelBins }) => [
            indentName(model),
            ...modelBins.map((bin) => MEASURES[task].format(bin[MEASURES[task].key])),
          ]),
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
        { title: 'inferences', text: ({ n_inferences }) => `${n_inferences}` },
        { title: `over ${MOST_WORDS}`, text: ({ n_overlong }) => `${n_overlong}` },
        { title: '%', text: ({ share }) => formatPercent(share) },
        { title: 'mean words', text: ({ mean_words }) => mean_words.toFixed(1) },
        { title: 'most words', text: ({ most_words }) => `${most_words}` },
      ]),
    ],
  );
}
