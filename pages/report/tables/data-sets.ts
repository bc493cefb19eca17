import type { EvaluationResults } from '../../../runs/evaluate/results';
import { MEASURES } from '../../../schemas/evaluation/measure';
import { formatSigned, formatSignedInterval } from '../../../schemas/text/numbers';
import { groupBy } from '../../../rules/group-by';
import { buildRowsByContext, buildSections, groupByEvaluation, indentName, type Section } from './section';

/** Builds tables that compare this data set with others, for the same models. */
export function buildDataSetSections(comparisons: EvaluationResults['analyses']['data_sets']): Section[] {
  return buildSections(
    'data-sets',
    'This data set against others',
    'This minus the other (95 %). A sign of contamination or of difficulty: compare context none, too.',
    [...groupBy(comparisons, ({ other_data }) => other_data)].flatMap(([other, ofData]) =>
      groupByEvaluation(ofData).map(({ task, line, entries }) => {
        const { average, format } = MEASURES[task];
        return {
          above: [line, `the other: ${other}`],
          columns: [
            { title: '' },
            ...['this', 'other', 'difference', '95 %'].map((title) => ({ title, group: average })),
          ],
          rows: buildRowsByContext(entries, (own) =>
            own.map(({ model, value, other_value, difference, interval }) => [
              indentName(model),
              format(value),
              format(other_value),
              formatSigned(difference, format),
              formatSignedInterval(interval, format),
            ]),
          ),
        };
      }),
    ),
  );
}
