import type { EvaluationResults } from '../../../evaluations/results';
import { percent, points } from '../../text/numbers';
import { beneath, byEvaluation, rowsByContext, section } from './section';

/** Figure 9; nothing where all lengths are in one bin. */
export function lengthTables(
  { bins, cells }: EvaluationResults['analyses']['by_length'],
  tokenizer: string,
): string[] {
  const group = 'Most tokens of the prior sessions';
  const columns = [{ title: '' }, ...bins.map(({ max_tokens }) => ({ title: `${max_tokens}`, group }))];
  const shown = bins.length < 2 ? [] : byEvaluation(cells);
  return section(
    'By length of the history (figure 9)',
    `Micro F1 (%) or mean score in bins of equal size, by tokens of ${tokenizer}.`,
    shown.map(({ task, line, entries }) => ({
      above: [line],
      columns,
      rows: [
        ['instances', ...bins.map(({ n_instances }) => `${n_instances}`)],
        ...rowsByContext(entries, (own) =>
          own.map(({ model, bins: ofModel }) => [
            beneath(model),
            ...ofModel.map((bin) => (task === 'inference' ? percent(bin.f1) : points(bin.average_score))),
          ]),
        ),
      ],
    })),
  );
}
