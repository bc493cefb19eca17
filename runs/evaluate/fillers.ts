import {
  CHUNK,
  openStoredRows,
  readHistories,
  readStoredRows,
  writeHistories,
  type PersonaFillers,
  type StoredInstance,
  type StoredRows,
} from '../../data/run/evaluation-plan';
import { renderInteractionLog } from '../../data/prompts/evaluation-values';
import type { Store } from '../../data/store/store';
import { groupBy } from '../../rules/group-by';
import { computeLength } from '../../rules/history/build';
import {
  buildCandidate,
  drawFillers,
  EXCLUSIONS,
  type DrawnFillers,
  type FillerCandidate,
} from '../../rules/history/fillers';
import { listTrials } from '../../rules/method/evaluation-work';
import { getOwnHistory } from '../../rules/method/trial-subject';
import { createTokenCounter } from '../../rules/statistics/tokens';
import {
  getHistoryTier,
  HISTORY_TIERS,
  HISTORY_TOKENS,
  type HistoryTier,
} from '../../schemas/evaluation/context';
import { countDataStates } from '../../schemas/evaluation/data-state';
import type { EvaluationInputs, SplitRow } from '../../schemas/evaluation/evaluation-run';
import { InputError } from '../../schemas/input-error';
import { formatCount, formatNumber, pluralize } from '../../schemas/text/count-text';
import { listPresent } from '../../schemas/text/list-present';

/**
 * Draws and stores the sessions that extend the histories of the evaluated rows, as far as they are not stored.
 * @throws InputError for histories that are longer than their tier, and for data that are too small for it
 */
export async function keepFillers(
  store: Store,
  inputs: EvaluationInputs,
  report: (line: string) => void,
): Promise<void> {
  const tiers = new Set(inputs.cells.map(({ context }) => getHistoryTier(context)));
  const tier = HISTORY_TIERS.findLast((candidate) => tiers.has(candidate));
  if (tier === undefined) return;
  const rows = await openStoredRows(store, countDataStates(inputs.data));
  const extended = new Set(
    listTrials(inputs, rows.index).flatMap(({ instance, context }) =>
      getHistoryTier(context) === undefined ? [] : [instance],
    ),
  );
  const personas = [...groupBy(rows.index, ({ persona_id }) => persona_id).values()]
    .filter((personaRows) => personaRows.some(({ number }) => extended.has(number)))
    .map((personaRows) => personaRows.map(({ number }) => number));
  const stored = new Map((await readHistories(store)).map((entry) => [formatRows(entry.rows), entry]));
  report(
    `Extending the histories of ${formatCount(personas.length, 'persona')} to ${tier} tokens with sessions of other personas.`,
  );
  const shortest = HISTORY_TIERS.find((candidate) => tiers.has(candidate)) ?? tier;
  const draw = { rows, tier, shortest, seed: inputs.settings.seed, source: inputs.data.source };
  for (const entry of await drawAll(draw, personas, stored)) stored.set(formatRows(entry.rows), entry);
  await writeHistories(store, [...stored.values()]);
}

interface Draw {
  readonly rows: StoredRows;
  /** The longest that is asked for, and the shortest. */
  readonly tier: HistoryTier;
  readonly shortest: HistoryTier;
  readonly seed: number;
  readonly source: string;
}

/** Draws the fillers of all personas that have too few. @param personas the numbers of each one's rows */
async function drawAll(
  { rows, tier, shortest, seed, source }: Draw,
  personas: readonly (readonly number[])[],
  stored: ReadonlyMap<string, PersonaFillers>,
): Promise<PersonaFillers[]> {
  let blocks: FillerCandidate[][] | undefined;
  const entries: PersonaFillers[] = [];
  let poorest: { readonly tokens: number; readonly excluded: DrawnFillers['excluded'] } | undefined;
  for (const numbers of personas) {
    const ownRows = await readStoredRows(rows, numbers);
    const longest = ownRows.map(getOwnHistory).toSorted((a, b) => b.tokens - a.tokens)[0];
    if (longest === undefined) continue;
    if (longest.tokens > HISTORY_TOKENS[shortest]) throw createLongError(ownRows, longest.tokens, shortest);
    const storedFillers = stored.get(formatRows(numbers))?.fillers ?? [];
    if (computeLength(longest, storedFillers) > HISTORY_TOKENS[tier]) continue;
    blocks ??= await readCandidates(rows);
    const tokens = HISTORY_TOKENS[tier] - longest.tokens;
    const instances = ownRows.map(({ instance }) => instance);
    const { fillers, excluded } = drawFillers(instances, blocks, {
      seed,
      tokens,
      earlier: storedFillers,
    });
    const length = computeLength(longest, fillers);
    if (length <= HISTORY_TOKENS[tier] && (poorest === undefined || length < poorest.tokens))
      poorest = { tokens: length, excluded };
    entries.push({ rows: [...numbers], fillers: [...fillers] });
  }
  if (poorest !== undefined) throw createSmallError(source, tier, poorest);
  return entries;
}

/** Reads the sessions of a data set: of each persona those of its longest row, by the file that stores it. */
async function readCandidates({ index, instance }: StoredRows): Promise<FillerCandidate[][]> {
  const countTokens = createTokenCounter();
  const longest = new Map<string, { readonly number: number; readonly stored: StoredInstance }>();
  const keep = async ({ persona_id, number }: SplitRow) => {
    const stored = await instance(number);
    const best = longest.get(persona_id);
    const sessions = stored.instance.prior_interactions.length;
    if (best === undefined || best.stored.instance.prior_interactions.length < sessions)
      longest.set(persona_id, { number, stored });
  };
  const candidates: FillerCandidate[] = [];
  for (const personaRows of groupBy(index, ({ persona_id }) => persona_id).values()) {
    for (const row of personaRows) await keep(row);
    for (const { number, stored } of longest.values()) {
      const { persona_id, prior_interactions: sessions } = stored.instance;
      for (const [at, session] of sessions.entries()) {
        // As it stands in a log of several sessions.
        const tokens = countTokens(`${renderInteractionLog([session])}\n\n`);
        candidates.push(buildCandidate(persona_id, session, { row: number, session: at + 1, tokens }));
      }
    }
    longest.clear();
  }
  return [...groupBy(candidates, ({ row }) => Math.ceil(row / CHUNK)).values()];
}

function createLongError(rows: readonly StoredInstance[], tokens: number, tier: HistoryTier): InputError {
  const persona = rows[0]?.instance.persona_id ?? '';
  return new InputError(
    `--history ${tier}: the own history of persona ${persona} has ${formatCount(tokens, 'token')} already. Name a longer history, or leave these personas out with --where-persona.`,
  );
}

function createSmallError(
  source: string,
  tier: HistoryTier,
  { tokens, excluded }: { readonly tokens: number; readonly excluded: DrawnFillers['excluded'] },
): InputError {
  const leftOut = EXCLUSIONS.reduce((sum, reason) => sum + excluded[reason], 0);
  const reasons = listPresent(
    excluded.occupation !== 0 && `${excluded.occupation} of the same occupation`,
    excluded.factor !== 0 && `${excluded.factor} that mention one of its context factors`,
    excluded.preference !== 0 && `${excluded.preference} with one of its preferences`,
    excluded.request !== 0 && `${excluded.request} with one of its requests`,
  );
  return new InputError(
    [
      `--history ${tier}: ${source} has too few sessions of other personas. They extend every history to at most ${formatNumber(tokens)} tokens.`,
      leftOut === 0
        ? undefined
        : `For one persona, ${formatCount(leftOut, 'session')} ${pluralize(leftOut, 'was', 'were')} left out: ${reasons.join(', ')}.`,
      'Name a shorter history, or evaluate on data with more personas.',
    ]
      .filter((line) => line !== undefined)
      .join('\n'),
  );
}

function formatRows(rows: readonly number[]): string {
  return rows.join(',');
}
