import type { EvaluationResults } from '../../../schemas/evaluation/results';
import { MEASURES } from '../../../schemas/evaluation/measure';
import { NOTHING } from '../../../schemas/text/numbers';
import {
  buildRowsByContext,
  groupByEvaluation,
  indentName,
  buildSections,
  type ReportTable,
  type EvaluationGroup,
  type Section,
} from './section';

type Settings = EvaluationResults['analyses']['by_position']['settings'];

/** Builds figure 3, and the instance types with the effect of their positions removed. */
export function buildPositionSections({ settings }: { readonly settings: Settings }): Section[] {
  return [
    ...buildSections(
      'positions',
      'By position of the relevant sessions (figure 3)',
      'Mean F1 or accuracy (%), or score, by mean position in the history, from 1; of all models together.',
      groupByEvaluation(settings.filter(({ points: settingPoints }) => settingPoints.length > 0)).map(
        buildPositionTable,
      ),
    ),
    ...buildSections(
      'type-positions',
      'Instance types at the same positions',
      'Mean F1 or accuracy (%), or score, of all models; then with the common positions weighted alike.',
      groupByEvaluation(settings.filter(({ types }) => types.length > 1)).map(buildTypeTable),
    ),
  ];
}

/** Builds a row for each instance type, with one context after the other. */
function buildTypeTable({ task, line, entries }: EvaluationGroup<Settings[number]>): ReportTable {
  const { title, format: text } = MEASURES[task];
  return {
    above: [line],
    columns: [
      { title: '' },
      { title: 'n', group: 'All' },
      { title: 'position', group: 'All' },
      { title, group: 'All' },
      { title: 'n', group: 'Same positions' },
      { title, group: 'Same positions' },
    ],
    rows: buildRowsByContext(entries, (contextSettings) =>
      contextSettings.flatMap(({ types }) =>
        types.map(({ instance_type, n_instances, mean_position, mean, matched_sample }) => [
          indentName(instance_type),
          `${n_instances}`,
          mean_position.toFixed(1),
          text(mean),
          `${matched_sample?.n_instances ?? NOTHING}`,
          text(matched_sample?.mean),
        ]),
      ),
    ),
  };
}

/** Builds a row for each position, with the contexts side by side. */
function buildPositionTable({ task, line, entries }: EvaluationGroup<Settings[number]>): ReportTable {
  const { title, format } = MEASURES[task];
  const positions = new Set(entries.flatMap((entry) => entry.points.map(({ position }) => position)));
  return {
    above: [line],
    columns: [
      { title: 'position' },
      ...entries.flatMap(({ context }) => [
        { title: 'n', group: context },
        { title, group: context },
      ]),
    ],
    rows: [...positions]
      .toSorted((a, b) => a - b)
      .map((position) => [
        position.toFixed(1),
        ...entries.flatMap((entry) => {
          const point = entry.points.find((candidate) => candidate.position === position);
          if (point === undefined) return [NOTHING, NOTHING];
          return [`${point.n_instances}`, format(point.mean)];
        }),
      ]),
  };
}
