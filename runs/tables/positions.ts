import type { EvaluationResults } from '../../schemas/evaluation/results';
import { MEASURES } from '../../schemas/evaluation/measure';
import { toQuantity, type Table } from '../../schemas/text/table';
import {
  buildRowsByContext,
  groupByEvaluation,
  buildSections,
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
      'Mean F1 or accuracy (%), or score, by mean position, from 1. Tables are of all models together.',
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
function buildTypeTable({ task, line, entries }: EvaluationGroup<Settings[number]>): Table {
  const { title, form } = MEASURES[task];
  return {
    title: line,
    columns: [
      { title: 'n', group: 'All' },
      { title: 'position', group: 'All' },
      { title, group: 'All' },
      { title: 'n', group: 'Same positions' },
      { title, group: 'Same positions' },
    ],
    rows: buildRowsByContext(entries, (contextSettings) =>
      contextSettings.flatMap(({ types }) =>
        types.map(({ instance_type: name, n_instances, mean_position, mean, matched_sample }) => ({
          name,
          cells: [
            toQuantity(n_instances),
            toQuantity(mean_position, 'mean'),
            toQuantity(mean, form),
            toQuantity(matched_sample?.n_instances),
            toQuantity(matched_sample?.mean, form),
          ],
        })),
      ),
    ),
  };
}

/** Builds a row for each position, with the contexts side by side. */
function buildPositionTable({ task, line, entries }: EvaluationGroup<Settings[number]>): Table {
  const { title, form } = MEASURES[task];
  const positions = new Set(entries.flatMap((entry) => entry.points.map(({ position }) => position)));
  return {
    title: line,
    names: 'position',
    columns: entries.flatMap(({ context }) => [
      { title: 'n', group: context },
      { title, group: context },
    ]),
    rows: [...positions]
      .toSorted((a, b) => a - b)
      .map((position) => ({
        name: position.toFixed(1),
        cells: entries.flatMap((entry) => {
          const point = entry.points.find((candidate) => candidate.position === position);
          return [toQuantity(point?.n_instances), toQuantity(point?.mean, form)];
        }),
      })),
  };
}
