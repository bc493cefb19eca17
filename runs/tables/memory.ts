import type { EvaluationResults } from '../../schemas/evaluation/results';
import { RANKS } from '../../rules/analyses/memory';
import { groupBy } from '../../rules/group-by';
import { toQuantity, toShare } from '../../schemas/text/table';
import { formatCount, formatNumber } from '../../schemas/text/count-text';
import { buildSections, indentRows, type Section } from './section';

/** Builds the table of what a memory system returned. */
export function buildMemorySections({
  memory,
  analyses,
}: Pick<EvaluationResults, 'memory' | 'analyses'>): Section[] {
  const columns = [
    { title: 'n' },
    ...RANKS.map((k) => ({ title: '%', group: `Evidence in first ${k}` })),
    { title: 'Tokens' },
    ...['empty', 'cut'].map((title) => ({ title, group: 'Contexts' })),
    ...['add', 'query'].map((title) => ({ title, group: 'Seconds' })),
  ];
  const models = [
    ...groupBy(analyses.memory, ({ model, context }) =>
      context === 'memory' ? model : `${model}, context ${context}`,
    ),
  ];
  return buildSections(
    'memory',
    'Memory system',
    'Share of the sessions with the current preference among the first that the memory used; means of an instance. Contexts: how many were empty, and how many were cut at the budget.',
    [
      {
        ...(memory && { title: `${memory.name}, at most ${formatCount(memory.budget_tokens, 'token')}` }),
        columns,
        rows: models.flatMap(([model, modelFigures]) => [
          { name: model, cells: [] },
          ...indentRows(
            modelFigures.map((figures) => ({
              name: figures.instance_type,
              cells: [
                toQuantity(figures.n_instances),
                ...figures.evidence_recall.map(({ share }) => toShare(share)),
                ...[Math.round(figures.mean_tokens), figures.n_empty, figures.n_cut].map((count) =>
                  toQuantity(count),
                ),
                ...[figures.mean_add_ms, figures.mean_query_ms].map((ms) =>
                  toQuantity(ms / 1_000, 'seconds'),
                ),
              ],
            })),
          ),
        ]),
      },
    ],
  );
}

/** Warns of a memory system that found nothing for most instances, or was asked before it was done. */
export function renderMemoryWarnings({
  memory,
  analyses,
}: Pick<EvaluationResults, 'memory' | 'analyses'>): string[] {
  const models = (analyses.memory ?? []).filter(({ instance_type: type }) => type === 'all');
  const sum = (key: 'n_instances' | 'n_empty' | 'n_unfinished') =>
    models.reduce((total, figures) => total + figures[key], 0);
  const [count, empty, unfinished] = [sum('n_instances'), sum('n_empty'), sum('n_unfinished')];
  const instances = formatCount(count, 'instance');
  const name = memory?.name ?? '';
  return [
    ...(empty * 2 > count
      ? [
          `${name} returned nothing for ${formatNumber(empty)} of ${instances}. If this is not intended, let add return when the session can be found, and evaluate in another --results-dir.`,
        ]
      : []),
    ...(unfinished > 0
      ? [
          `${name} answered 202 (accepted) for ${formatNumber(unfinished)} of ${instances}, so it may have been asked before it could find their sessions. Let add return when the session can be found, and evaluate in another --results-dir.`,
        ]
      : []),
  ];
}
