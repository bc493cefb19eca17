import type { Interaction, StoredPersona } from '../../schemas/dataset/record';

/** Figures of dialogues, turn by turn (paper, B.4). */
export interface TurnStatistics {
  /** Dialogues by the number of turns that the user scored; shortest first, without gaps. */
  readonly lengths: readonly {
    readonly turns: number;
    readonly satisfied: number;
    readonly unsatisfied: number;
  }[];
  /** Scores of users in each turn, over the dialogues that reached it. */
  readonly scores: readonly TurnScores[];
}

interface TurnScores {
  readonly turn: number;
  readonly dialogues: number;
  readonly mean: number;
  /** Frequency of each score, from 1 to 10. */
  readonly counts: readonly number[];
}

type ScoredDialogues = Pick<StoredPersona, 'scores'> & {
  readonly record: {
    readonly interactions: readonly Pick<Interaction, 'session_id' | 'is_satisfied'>[];
  };
};

/** Counts dialogues, persona by persona. */
export interface TurnCounter {
  add(dialogues: ScoredDialogues): void;
  end(): TurnStatistics;
}

export function createTurnCounter(): TurnCounter {
  const satisfied: number[] = [];
  const unsatisfied: number[] = [];
  /** Frequency of each score, by turn. */
  const counts: number[][] = [];
  return {
    add({ record, scores: ofDialogues }) {
      const ends = new Map(
        record.interactions.map((interaction) => [interaction.session_id, interaction.is_satisfied]),
      );
      for (const { session, scores } of ofDialogues) {
        const lengths = ends.get(session) === true ? satisfied : unsatisfied;
        lengths[scores.length] = (lengths[scores.length] ?? 0) + 1;
        for (const [turn, score] of scores.entries()) {
          const scoreCounts = (counts[turn] ??= Array.from({ length: BEST_SCORE }, () => 0));
          scoreCounts[score - 1] = (scoreCounts[score - 1] ?? 0) + 1;
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
        scores: counts.map((scoreCounts, at) => {
          const dialogues = scoreCounts.reduce((sum, count) => sum + count, 0);
          const sum = scoreCounts.reduce((total, count, index) => total + count * (index + 1), 0);
          return { turn: at + 1, dialogues, mean: sum / dialogues, counts: scoreCounts };
        }),
      };
    },
  };
}

const BEST_SCORE = 10;
