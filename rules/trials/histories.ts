import { groupBy } from '../group-by';
import { roundUpToTwoDigits } from '../round-up';
import { computeLength } from '../history/build';
import {
  buildCandidate,
  drawFillers,
  EXCLUSIONS,
  MOST_TOKENS,
  type DrawnFillers,
  type FillerCandidate,
} from '../history/fillers';
import { getOwnHistory, type EvaluatedRow, type EvaluatedRows } from '../method/trial-subject';
import { createTokenCounter } from '../statistics/tokens';
import type { PriorInteraction } from '../../schemas/dataset/instance';
import { HISTORY_TOKENS, type HistoryTier } from '../../schemas/evaluation/context';
import { ROWS_PER_FILE, type NumberedRow } from '../../schemas/evaluation/evaluation-run';
import type { PersonaFillers } from '../../schemas/evaluation/filler';
import { InputError } from '../../schemas/input-error';
import { formatCount, formatNumber } from '../../schemas/text/count-text';
import { listPresent } from '../../schemas/text/list-present';

/** A data set whose sessions extend histories. */
interface FillerSource extends Pick<EvaluatedRows<EvaluatedRow>, 'instance' | 'persona'> {
  readonly index: readonly NumberedRow[];
  /** Its name, for messages. */
  readonly source: string;
  /** Renders sessions as models read them. */
  readonly renderLog: (sessions: readonly PriorInteraction[]) => string;
}

interface Drawing extends DrawingObserver {
  /** The longest history that is asked for, and the shortest. */
  readonly tier: HistoryTier;
  readonly shortest: HistoryTier;
  readonly seed: number;
  /** Fillers that were drawn before, which stay. */
  readonly stored?: readonly PersonaFillers[];
}

/** Shows the user what is drawn. */
export interface DrawingObserver {
  readonly report: (line: string) => void;
  /** Receives how many personas were read, and then extended. */
  readonly onDrawn?: (progress: { readonly done: number; readonly total: number }) => void;
}

/**
 * Draws the fillers of personas that have too few, and returns those of all.
 * @param isExtended returns whether the history of a row is extended; all rows of its persona have fillers then
 * @throws InputError for histories that are longer than their tier, and for data that are too small for it
 */
export async function drawPersonaFillers(
  data: FillerSource,
  isExtended: (row: NumberedRow) => boolean,
  { tier, shortest, seed, stored = [], report, onDrawn }: Drawing,
): Promise<PersonaFillers[]> {
  const source = groupBy(data.index, ({ persona_id }) => persona_id);
  const personas = [...source.values()].filter((rows) => rows.some(isExtended));
  const steps = { done: 0, total: source.size + personas.length };
  const countStep = () => {
    steps.done += 1;
    onDrawn?.(steps);
  };
  let blocks: FillerCandidate[][] | undefined;
  const entries = new Map(stored.map((entry) => [formatRows(entry.rows), entry]));
  const total = { length: 0, occupation: 0, factor: 0, preference: 0, request: 0 };
  const tooLong: LongPersona[] = [];
  let poorest: { readonly tokens: number; readonly excluded: DrawnFillers['excluded'] } | undefined;
  for (const [first, ...otherRows] of personas) {
    if (first === undefined) continue;
    const numbers = [first, ...otherRows].map(({ number }) => number);
    const ownRows = await data.persona(first.number);
    const longest = ownRows.map(getOwnHistory).toSorted((a, b) => b.tokens - a.tokens)[0];
    if (longest === undefined) continue;
    if (longest.tokens > HISTORY_TOKENS[shortest])
      tooLong.push({ persona: first.persona_id, tokens: longest.tokens });
    // The rest is only looked through for more of them.
    if (tooLong.length > 0) continue;
    const earlier = entries.get(formatRows(numbers))?.fillers ?? [];
    if (computeLength(longest, earlier) > HISTORY_TOKENS[tier]) continue;
    if (blocks === undefined) {
      report(
        `Extending the histories of ${formatCount(personas.length, 'persona')} to ${tier} tokens with sessions of other personas.`,
      );
      blocks = await readCandidates(data, source, countStep);
    }
    const tokens = HISTORY_TOKENS[tier] - longest.tokens;
    const instances = ownRows.map(({ instance }) => instance);
    const { fillers, excluded } = drawFillers(instances, blocks, { seed, tokens, earlier });
    for (const reason of EXCLUSIONS) total[reason] += excluded[reason];
    const length = computeLength(longest, fillers);
    if (length <= HISTORY_TOKENS[tier] && (poorest === undefined || length < poorest.tokens))
      poorest = { tokens: length, excluded };
    countStep();
    entries.set(formatRows(numbers), { rows: numbers, fillers: [...fillers] });
  }
  if (tooLong.length > 0) throw createLongError(tooLong, shortest);
  if (poorest !== undefined) throw createSmallError(data.source, source.size, tier, poorest);
  const leftOut = describeExcluded(total);
  if (leftOut !== '') report(`Left out over all personas: ${leftOut}.`);
  return [...entries.values()];
}

/** Reads the sessions of a data set: of each persona those of its longest row, by the file that stores it. */
async function readCandidates(
  { instance, renderLog }: FillerSource,
  personas: ReadonlyMap<string, readonly NumberedRow[]>,
  countStep: () => void,
): Promise<FillerCandidate[][]> {
  const countTokens = createTokenCounter();
  const candidates: FillerCandidate[] = [];
  for (const [personaId, personaRows] of personas) {
    countStep();
    let row = 0;
    let sessions: readonly PriorInteraction[] = [];
    for (const { number } of personaRows) {
      const { prior_interactions: rowSessions } = (await instance(number)).instance;
      if (rowSessions.length > sessions.length) [row, sessions] = [number, rowSessions];
    }
    for (const [at, session] of sessions.entries()) {
      // As it stands in a log of several sessions.
      const tokens = countTokens(`${renderLog([session])}\n\n`);
      candidates.push(buildCandidate(personaId, session, { row, session: at + 1, tokens }));
    }
  }
  return [...groupBy(candidates, ({ row }) => Math.ceil(row / ROWS_PER_FILE)).values()];
}

/** A persona whose own history is longer than the tier. */
interface LongPersona {
  readonly persona: string;
  readonly tokens: number;
}

function createLongError(personas: readonly LongPersona[], tier: HistoryTier): InputError {
  const [first] = personas.toSorted((a, b) => b.tokens - a.tokens);
  const furtherCount = personas.length - 1;
  return new InputError(
    `--history ${tier}: the own history of persona ${first?.persona} has ${formatCount(first?.tokens ?? 0, 'token')} already${furtherCount === 0 ? '' : `, and those of ${formatCount(furtherCount, 'other persona')} are too long as well`}. Name a longer history, or leave these personas out with --where-persona.`,
  );
}

function createSmallError(
  source: string,
  personas: number,
  tier: HistoryTier,
  { tokens, excluded }: { readonly tokens: number; readonly excluded: DrawnFillers['excluded'] },
): InputError {
  const leftOut = describeExcluded(excluded);
  return new InputError(
    [
      `--history ${tier}: ${source} has too few sessions of other personas. They suffice for ${formatNumber(tokens)} tokens.`,
      leftOut === '' ? undefined : `Left out for one persona: ${leftOut}.`,
      `${tier === '32k' ? 'Name data' : 'Name a shorter history, or data'} with more personas: about ${formatNumber(estimatePersonas(personas, tokens, tier))}.`,
    ]
      .filter((line) => line !== undefined)
      .join('\n'),
  );
}

/** Estimates how many personas extend a history to the tier: somewhat more than in proportion, because some sessions are left out. */
function estimatePersonas(personas: number, tokens: number, tier: HistoryTier): number {
  return roundUpToTwoDigits(Math.ceil((personas * HISTORY_TOKENS[tier] * 1.1) / tokens));
}

/** Describes how many sessions were left out and why; empty for none. */
function describeExcluded({
  length,
  occupation,
  factor,
  preference,
  request,
}: DrawnFillers['excluded']): string {
  return listPresent(
    length !== 0 && `${formatCount(length, 'session')} of more than ${formatNumber(MOST_TOKENS)} tokens`,
    occupation !== 0 && `${formatCount(occupation, 'session')} of personas with the same occupation`,
    factor !== 0 && `${formatCount(factor, 'session')} that mention one of the persona's context factors`,
    preference !== 0 && `${formatCount(preference, 'session')} with one of the persona's preferences`,
    request !== 0 && `${formatCount(request, 'session')} with one of the persona's requests`,
  ).join(', ');
}

function formatRows(rows: readonly number[]): string {
  return rows.join(',');
}
