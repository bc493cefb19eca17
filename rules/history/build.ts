import type { Instance, PriorInteraction } from '../../schemas/dataset/instance';
import { HISTORY_TOKENS, type HistoryTier } from '../../schemas/evaluation/context';
import type { Filler } from '../../schemas/evaluation/filler';
import { OutdatedPlan } from '../../schemas/run/outdated-plan';
import { createRandom } from '../sampling/random';

/** Length of a row's own history. */
interface OwnHistory {
  /** Tokens of the interaction log. */
  readonly tokens: number;
  readonly sessions: number;
}

/**
 * Returns the first fillers, as many as fit into the tier in every row of the persona. No history exceeds it, and all rows have the same.
 * @param rows every row of the persona
 * @throws OutdatedPlan if they were drawn for a shorter tier
 */
export function takeFillers(
  fillers: readonly Filler[],
  rows: readonly OwnHistory[],
  tier: HistoryTier,
): readonly Filler[] {
  let added = 0;
  const end = fillers.findIndex(({ tokens }, at) => {
    added += tokens;
    return rows.some((row) => addTokens(row, added, at + 1) > HISTORY_TOKENS[tier]);
  });
  // The last filler that is drawn for a tier exceeds it.
  if (end < 0) throw new OutdatedPlan(`The sessions that extend a history to ${tier} tokens are not known.`);
  return fillers.slice(0, end);
}

/** Computes the tokens of a history that fillers extend. */
export function computeLength(history: OwnHistory, fillers: readonly Filler[]): number {
  const added = fillers.reduce((sum, { tokens }) => sum + tokens, 0);
  return addTokens(history, added, fillers.length);
}

function addTokens({ tokens, sessions }: OwnHistory, added: number, nFillers: number): number {
  // The number of a session is one token up to 999, and two above.
  return tokens + added + Math.max(0, sessions + nFillers - 999);
}

/** A persona whose histories are extended. */
interface ExtendedPersona {
  /** Every row of the persona. */
  readonly rows: readonly Instance[];
  /** In the order in which they were drawn. */
  readonly fillers: readonly PriorInteraction[];
  readonly seed: number;
}

/**
 * Extends the history of one of a persona's rows: its own sessions in their order, and the fillers at times that are drawn uniformly. All rows share
 * one timeline, on which a session, own or filler, has one time. So rows have the same fillers at the same places, and begin alike up to the first
 * own session that not all of them have.
 */
export function extendHistory(row: Instance, { rows, fillers, seed }: ExtendedPersona): PriorInteraction[] {
  const keys = rows.map(({ prior_interactions }) => prior_interactions.map(buildSessionKey));
  const timeline = mergeInOrder(keys);
  const slots = findInOrder(timeline, row.prior_interactions.map(buildSessionKey));
  const random = createRandom(seed, 'filler-times', row.persona_id);
  const sessions = [
    ...row.prior_interactions.map((session, at) => ({
      session,
      time: ((slots[at] ?? at) + 0.5) / timeline.length,
    })),
    // A filler's time does not depend on how many follow it.
    ...fillers.map((session) => ({ session, time: random.integer(2 ** 32) / 2 ** 32 })),
  ];
  return sessions.toSorted((a, b) => a.time - b.time).map(({ session }) => session);
}

/** Merges lists into one that contains each of them in its order, and what they share, as far as the order allows, once. */
export function mergeInOrder(lists: readonly (readonly string[])[]): string[] {
  const result: string[] = [];
  for (const list of lists) {
    let next = 0;
    for (const key of list) {
      const at = result.indexOf(key, next);
      if (at < 0) result.splice(next, 0, key);
      next = (at < 0 ? next : at) + 1;
    }
  }
  return result;
}

/** Returns the places of a list's items in a list that contains them in this order. */
function findInOrder(timeline: readonly string[], list: readonly string[]): number[] {
  let next = 0;
  return list.map((key) => {
    const at = timeline.indexOf(key, next);
    next = at + 1;
    return at;
  });
}

/** Builds a key that is the same for the same dialogue in several rows. */
function buildSessionKey({ dialogue }: PriorInteraction): string {
  return JSON.stringify(dialogue.map(({ role, content }) => [role, content]));
}
