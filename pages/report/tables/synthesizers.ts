import type { SynthesizerComparison } from '../../../schemas/evaluation/results/analyses';
import { MEASURES } from '../../../schemas/evaluation/measure';
import { NOTHING } from '../../../schemas/text/numbers';
import { groupBy } from '../../../rules/group-by';
import {
  indentName,
  groupByEvaluation,
  buildRowsByContext,
  buildSections,
  type ReportTable,
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
    'Micro F1 or accuracy (%), or mean score; * marks a model on its own data.',
    groupByEvaluation(shownComparisons).map(buildSynthesizerTable),
  );
}

/** Builds a row for each tested model. The columns show synthesizers by number, because their names are long. */
function buildSynthesizerTable({
  task,
  line,
  entries: comparisons,
}: EvaluationGroup<SynthesizerComparison>): ReportTable {
  const { key, format } = MEASURES[task];
  const synthesizers = [
    ...new Set(comparisons.flatMap(({ entries }) => entries.map(({ synthesizer }) => synthesizer))),
  ];
  return {
    above: [
      line,
      ...synthesizers.map((synthesizer, at) => `data ${at + 1}: by ${synthesizer ?? 'an unknown model'}`),
    ],
    columns: [{ title: '' }, ...synthesizers.map((_, at) => ({ title: `data ${at + 1}` }))],
    rows: buildRowsByContext(comparisons, (contextComparisons) =>
      [
        ...groupBy(
          contextComparisons.flatMap(({ entries }) => entries),
          ({ model }) => model,
        ),
      ].map(([model, entries]) => [
        indentName(model),
        ...synthesizers.map((synthesizer) => {
          const entry = entries.find((candidate) => candidate.synthesizer === synthesizer);
          const text = format(entry?.[key]);
          return entry?.own_data === true && text !== NOTHING ? `*${text}` : text;
        }),
      ]),
    ),
  };
}
