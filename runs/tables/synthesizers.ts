import type { SynthesizerComparison } from '../../schemas/evaluation/results/analyses';
import { MEASURES } from '../../schemas/evaluation/measure';
import { type Table, toQuantity } from '../../schemas/text/table';
import { groupBy } from '../../rules/group-by';
import {
  groupByEvaluation,
  buildRowsByContext,
  buildSections,
  omitEqualCounts,
  type EvaluationGroup,
  type Section,
} from './section';

/** Builds figure 10. Omits settings with the data of a single synthesizer. */
export function buildSynthesizerSections(comparisons: readonly SynthesizerComparison[]): Section[] {
  const shownComparisons = comparisons.filter(
    ({ entries }) => new Set(entries.map(({ synthesizer }) => synthesizer)).size >= 2,
  );
  return buildSections(
    'synthesizers',
    'Tested models by the model that generated the data (figure 10)',
    'Micro F1 or accuracy (%), or mean score; a model on its own data is marked.',
    groupByEvaluation(shownComparisons).map((group) => omitEqualCounts(buildSynthesizerTable(group))),
  );
}

/** Builds a row for each tested model. The columns show synthesizers by number, because their names are long. */
function buildSynthesizerTable({
  task,
  line,
  entries: comparisons,
}: EvaluationGroup<SynthesizerComparison>): Table {
  const { key, form } = MEASURES[task];
  const synthesizers = [
    ...new Set(comparisons.flatMap(({ entries }) => entries.map(({ synthesizer }) => synthesizer))),
  ];
  return {
    title: line,
    lines: synthesizers.map((synthesizer, at) => `data ${at + 1}: by ${synthesizer ?? 'an unknown model'}`),
    columns: synthesizers.map((_, at) => ({ title: `data ${at + 1}` })),
    rows: buildRowsByContext(comparisons, (contextComparisons) =>
      [
        ...groupBy(
          contextComparisons.flatMap(({ entries }) => entries),
          ({ model }) => model,
        ),
      ].map(([name, entries]) => ({
        name,
        cells: synthesizers.map((synthesizer) => {
          const entry = entries.find((candidate) => candidate.synthesizer === synthesizer);
          return toQuantity(entry?.[key], form, {
            ...(entry && { n: entry.n_instances }),
            ...(entry?.own_data === true && { mark: 'own data' }),
          });
        }),
      })),
    ),
  };
}
