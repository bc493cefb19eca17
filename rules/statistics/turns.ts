import type { Interaction, StoredPersona } from '../../schemas/dataset/record';

/** How dialogues went, turn by turn (paper, B.4). */
export interface TurnStatistics {
  /** Dialogues by the turns that the user scored; the shortest first, without gaps. */
  readonly lengths: readonly {
    readonly turns: number;
    readonly satisfied: number;
    readonly unsatisfied: number;
  }[];
  /** The scores that users gave in each turn, among the dialogues that got so far. */
  readonly scores: readonly TurnScores[];
}

interface TurnScores {
  readonly turn: number;
  readonly dialogues: number;
  readonly mean: number;
  /** How often each score was given, from 1 to 10. */
  readonly counts: readonly number[];
}

type ScoredDialogues = Pick<StoredPersona, 'scores'> & {
  readonly record: {
    readonly interactions: readonly Pick<Interaction, 'session_id' | 'is_satisfied'>[];
  };
};

/** Counts dialogues, a persona at a time. */
export interface TurnCounter {
  add(kept: ScoredDialogues): void;
  end(): TurnStatistics;
}

export function createTurnCounter(): TurnCounter {
  const satisfied: number[] = [];
  const unsatisfied: number[] = [];
  /** By turn, how often each score was given. */
  const counts: number[][] = [];
  return {
    add({ record, scores: ofDialogues }) {
      const ends = new Map(record.interactions.map((one) => [one.session_id, one.is_satisfied]));
      for (const { session, scores } of ofDialogues) {
        const lengths = ends.get(session) === true ? satisfied : unsatisfied;
        lengths[scores.length] = (lengths[scores.length] ?? 0) + 1;
        for (const [turn, score] of scores.entries()) {
          const given = (counts[turn] ??= Array.from({ length: BEST_SCORE }, () => 0));
          given[score - 1] = (given[score - 1] ?? 0) + 1;
        }
      }
    },
    end() {
      const longest = Math.max(satisfied.length, unsatisfied.length) - 1;
      return {
        lengths: Array.from({ length: Math.max(0, longest) }, (_, at) => ({
          turns: at + 1,
          satisfied: satisfied[at + 1] ?? 0,
          unsatisfied: unsatisfied[at + 1] ?? 0,
        })),
        scores: counts.map((given, at) => {
          const dialogues = given.reduce((sum, count) => sum + count, 0);
          const sum = given.reduce((total, count, index) => total + count * (index + 1), 0);
          return { turn: at + 1, dialogues, mean: sum / dialogues, counts: given };
        }),
      };
    },
  };
}

const BEST_SCORE = 10;
