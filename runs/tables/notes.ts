import { describeCell } from '../../rules/trials/cells';
import { describeMemoryShares } from '../../data/card/evaluation';
import { PUBLISHED_DATA } from '../../data/published-data';
import { readPaperNumbers } from '../../data/paper';
import { ENOUGH_PERSONAS } from '../../rules/analyses/model-comparison';
import { isComparable, listParts } from '../../rules/scores/paper-parts';
import { getHistoryTier } from '../../schemas/evaluation/context';
import { RESULTS, type EvaluationResults, type ResultCell } from '../../schemas/evaluation/results';
import { formatCount, formatFirst, formatNumber, pluralize } from '../../schemas/text/count-text';
import { groupBy } from '../../rules/group-by';
import { describeSharedName } from './sentences';
import { renderMemoryWarnings } from './memory';
import { isInPaper } from './results';

/** Renders notes that readers of the results need: the data, and what is comparable or missing. */
export function renderResultNotes(results: EvaluationResults): string[] {
  const { data, simulated } = results;
  return [
    `Data: ${data.source}, ${formatCount(data.instances, 'instance')}, SHA-256 ${data.sha256.slice(0, 12)}…`,
    ...renderCaveats(results),
    ...(simulated
      ? ['The data or a model of this evaluation is simulated: use these numbers for testing only.']
      : []),
  ];
}

/** Renders notes about what is comparable, and what is missing. */
export function renderCaveats(results: EvaluationResults): string[] {
  const { cells, data, prompts, without_relevant_sessions, counted_as_zero } = results;
  const missing = new Map<string, number>();
  for (const { all } of cells) {
    for (const { step, kind, count } of all.counts.missing_counts) {
      const reason = `step ${step}, ${kind}`;
      missing.set(reason, (missing.get(reason) ?? 0) + count);
    }
  }
  return [
    ...(without_relevant_sessions > 0 && cells.some(({ context }) => context === 'oracle')
      ? [
          `Context oracle: ${formatCount(without_relevant_sessions, 'instance')} ${pluralize(without_relevant_sessions, 'has', 'have')} no session with the current factor and preference, so the models saw no session for ${pluralize(without_relevant_sessions, 'it', 'them')}.`,
        ]
      : []),
    ...(cells.some(({ context }) => getHistoryTier(context) !== undefined) ? [EXTENSION_NOTE] : []),
    ...renderMemoryWarnings(results),
    ...renderPaperNote(cells),
    ...renderFewer(cells, data.instances),
    ...(counted_as_zero === undefined ? [] : [formatZeroes(counted_as_zero)]),
    ...(prompts.built_in.length > 0
      ? [
          `Prompts: ${prompts.source}. It lacks ${prompts.built_in.join(', ')}, so the built-in ones were used.`,
        ]
      : []),
    ...renderMissing(missing),
    ...renderZeros(cells),
    ...renderSharedNames(cells),
    ...renderMemoryShares(results.memory),
    ...renderFewPersonas(cells),
  ];
}

/** Says what an extended history shows and what it does not. */
const EXTENSION_NOTE =
  "Contexts with @: the history is extended to that many tokens with sessions of other personas. They test whether the evidence is found; one's own past distracts more.";

/** @param missing number of missing scores by cause */
function renderMissing(missing: ReadonlyMap<string, number>): string[] {
  if (missing.size === 0) return [];
  const total = [...missing.values()].reduce((sum, count) => sum + count, 0);
  const causes = [...missing].map(([reason, count]) => `${formatNumber(count)} at ${reason}`);
  return [
    `Missing: ${formatCount(total, 'score')}, ${causes.join('; ')}. They are not part of any number; the column missing_cause in ${RESULTS.rows} has the causes.`,
  ];
}

/** Names the columns in which histories count as 0 because the model does not take them. */
function renderZeros(cells: readonly ResultCell[]): string[] {
  const zeroCells = cells.filter(({ all }) => all.counts.context_length > 0);
  if (zeroCells.length === 0) return [];
  const total = zeroCells.reduce((sum, { all }) => sum + all.counts.context_length, 0);
  return [
    `Over the context length: ${formatCount(total, 'score')} in ${formatFirst(zeroCells.map(describeCell), COLUMNS_NAMED)}. The model does not take a history of this length, so they count as 0 in every number and are not missing.`,
  ];
}

/** Names the models that answered under one name, each name once. */
function renderSharedNames(cells: readonly ResultCell[]): string[] {
  const shared = groupBy(
    cells.flatMap(({ shared_names: names = [] }) => names),
    ({ name }) => name,
  );
  return [...shared].map(([name, entries]) => {
    const answers = new Map(
      entries.flatMap(({ answered_by }) => answered_by.map((answer) => [answer.model, answer])),
    );
    return describeSharedName({ name, answered_by: [...answers.values()] });
  });
}

/** Says what to do if most contexts of a memory system were cut. */
function renderMemoryShares(memory: EvaluationResults['memory']): string[] {
  const remedy =
    (memory?.cut?.share ?? 0) > 0.5
      ? ' Models saw the beginning of the former: return less, or raise --memory-budget.'
      : '';
  return describeMemoryShares(memory).map((sentence) => `${sentence}${remedy}`);
}

/** Warns of intervals that rest on few personas, or that one persona does not have. */
function renderFewPersonas(cells: readonly ResultCell[]): string[] {
  const numbers = cells.flatMap(({ all: { n_personas: n } }) => (n >= 2 && n < ENOUGH_PERSONAS ? [n] : []));
  if (numbers.length === 0) {
    const isOfOne = cells.some(({ all: { n_personas: n } }) => n === 1);
    return isOfOne
      ? [
          `Numbers of a single persona have no interval; below ${ENOUGH_PERSONAS} personas, intervals are rough.`,
        ]
      : [];
  }
  const [low, high] = [Math.min(...numbers), Math.max(...numbers)];
  const range = low === high ? formatCount(low, 'persona') : `${low} to ${high} personas`;
  const rows =
    numbers.length === cells.length
      ? ''
      : ` in ${formatNumber(numbers.length)} of ${formatCount(cells.length, 'row')}`;
  return [
    `Intervals rest on ${range}${rows}; below ${ENOUGH_PERSONAS} they are rough. Where all personas have the same value, such as 100 %, the interval is Wilson's for that many personas.`,
  ];
}

/** Names the columns with fewer instances, which cannot be compared with the others. */
function renderFewer(cells: EvaluationResults['cells'], instances: number): string[] {
  const columns = new Map<number, Set<string>>();
  for (const cell of cells) {
    const { scored, context_length, missing, open } = cell.all.counts;
    const count = scored + context_length + missing + open;
    if (count >= instances) continue;
    const names = columns.get(count) ?? new Set();
    columns.set(count, names.add(describeCell(cell)));
  }
  if (columns.size === 0) return [];
  const total = new Set(cells.map(describeCell)).size;
  const parts = [...columns].map(
    ([count, names]) =>
      `${formatNumber(count)} in ${names.size === total ? 'all rows' : formatFirst([...names], COLUMNS_NAMED)}`,
  );
  return [
    `Limited (--limit, --types, --split, --where-persona): of ${formatCount(instances, 'instance')}, ${parts.join('; ')}.`,
  ];
}

/** Maximum of columns that are named for each number of instances: the tables show the numbers of all. */
const COLUMNS_NAMED = 4;

function formatZeroes(zero: NonNullable<EvaluationResults['counted_as_zero']>): string {
  const { empty_inferences, failed_matches, zero_scores } = zero;
  return `Reference-compatible: answers are parsed and summed as the reference program does. Answers that could not be used count as empty or 0: inferences ${formatNumber(empty_inferences)}, matches ${formatNumber(failed_matches)}, scores ${formatNumber(zero_scores)}.`;
}

/** Explains which parts of the set-up hide the paper's numbers, and how to match them. Returns nothing if the paper has none. */
export function renderPaperNote(cells: readonly ResultCell[]): string[] {
  const deviatingCells = cells.filter((cell) => isInPaper(cell) && !isComparable(cell.setup));
  if (deviatingCells.length === 0) return [];
  const parts = deviatingCells.flatMap(({ setup }) =>
    listParts(setup).flatMap(([name, part]) =>
      part === 'paper' ? [] : [`${name} ${part.slice('other '.length)}`],
    ),
  );
  return [
    `The paper's numbers are shown only beside results with its set-up. Other here: ${[...new Set(parts)].join(', ')}. ` +
      `To compare with the paper, evaluate with --data ${PUBLISHED_DATA}, --evaluator ${readPaperNumbers().evaluator} and --prompts DIR, ` +
      "where DIR contains the prompts of the paper's authors, into another --results-dir.",
  ];
}
