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
    ...['empty', 'cut'].map((title) => ({ title, group: 'Contexts' })),
    ...['add', 'query'].map((title) => ({ title, group: 'Seconds' })),
  ];
  // Results of before this analysis lack it.
  const models = [...groupBy(analyses.memory ?? [], ({ model }) => model)];
  return buildSections(
    'memory',
    'Memory system',
    'Share of the sessions with the current preference among the first that the memory used; means of an instance. Contexts: how many were empty, and how many were cut at the budget.',
    [
      {
        above: memory === undefined ? [] : [`${memory.name}, at most ${formatCount(memory.budget, 'token')}`],
        columns,
        rows: models.flatMap(([model, own]) => [
          model,
          ...own.map((figures) => [
            indentName(figures.instance_type),
            `${figures.n}`,
            ...figures.evidence_recall.flatMap(({ share }) => [
              formatPercent(share?.share),
              formatInterval(share?.interval, formatPercent),
            ]),
            formatNumber(Math.round(figures.tokens)),
            ...[figures.n_empty, figures.n_cut].map(formatNumber),
            figures.add_seconds.toFixed(2),
            figures.query_seconds.toFixed(2),
          ]),
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
  const all = (analyses.memory ?? []).filter(({ instance_type: type }) => type === 'all');
  const sum = (count: (figures: (typeof all)[number]) => number) =>
    all.reduce((total, figures) => total + count(figures), 0);
  const asked = formatCount(
    sum(({ n }) => n),
    'instance',
  );
  const [empty, unfinished] = [sum(({ n_empty }) => n_empty), sum(({ n_unfinished }) => n_unfinished)];
  const name = memory?.name ?? '';
  return [
    ...(empty * 2 > sum(({ n }) => n)
      ? [
          `${name} returned nothing for ${formatNumber(empty)} of ${asked}. If this is not intended, let add return when the session can be found, and evaluate in another --results-dir.`,
        ]
      : []),
    ...(unfinished > 0
      ? [
          `${name} answered 202 (accepted) for ${formatNumber(unfinished)} of ${asked}, so it may have been asked before it could find their sessions. Let add return when the session can be found, and evaluate in another --results-dir.`,
        ]
      : []),
  ];
}
