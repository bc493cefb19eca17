import type { EvaluationResults } from '../../../runs/evaluate/results';
import { RANKS } from '../../../rules/analyses/memory';
import { groupBy } from '../../../rules/group-by';
import { formatInterval, formatPercent } from '../../../schemas/text/numbers';
import { formatCount, formatNumber } from '../../../schemas/text/count-text';
import { buildSections, indentName, type Section } from './section';

/** Builds the table of what a memory system returned. */
export function buildMemorySections({
  memory,
  analyses,
}: Pick<EvaluationResults, 'memory' | 'analyses'>): Section[] {
  const columns = [
    ...['', 'n'].map((title) => ({ title })),
    ...RANKS.flatMap((k) => ['%', '95 %'].map((title) => ({ title, group: `Evidence in first ${k}` }))),
    { title: 'Tokens' },
    ...['add', 'query'].map((title) => ({ title, group: 'Seconds' })),
  ];
  // Results of before this analysis lack it.
  const models = [...groupBy(analyses.memory ?? [], ({ model }) => model)];
  return buildSections(
    'memory',
    'Memory system',
    'Share of the sessions with the current preference among the first that the memory used; means of an instance.',
    [
      {
        above: memory === undefined ? [] : [`${memory.name}, at most ${formatCount(memory.budget, 'token')}`],
        columns,
        rows: models.flatMap(([model, own]) => [
          model,
          ...own.map(({ instance_type, n, evidence_recall, tokens, add_seconds, query_seconds }) => [
            indentName(instance_type),
            `${n}`,
            ...evidence_recall.flatMap(({ share }) => [
              formatPercent(share?.share),
              formatInterval(share?.interval, formatPercent),
            ]),
            formatNumber(Math.round(tokens)),
            add_seconds.toFixed(2),
            query_seconds.toFixed(2),
          ]),
        ]),
      },
    ],
  );
}
