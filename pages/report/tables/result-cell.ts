import type { Group } from '../../../data/paper';
import type { PaperSetup } from '../../../runs/evaluate/paper-setup';
import type { EvaluatorErrors } from '../../../rules/analyses/stress';
import type { ChoiceAverages, Counts, InferenceAverages } from '../../../rules/scores/aggregate';
import type { HistoryForm } from '../../../schemas/evaluation/context';
import type { ScoreRow, Task } from '../../../schemas/evaluation/evaluation';
import type { InstanceType } from '../../../schemas/dataset/instance-type';
import type { Interval } from '../../../schemas/text/numbers';

/** The part of a results cell, as in `results.json`, that the tables show. */
export interface ResultCell {
  readonly task: Task;
  /** As modelName gives it. */
  readonly model: string;
  readonly context: HistoryForm;
  readonly evaluator: string;
  readonly evaluator_form: ScoreRow['evaluator_form'];
  readonly decomposer: string | null;
  readonly setup: PaperSetup;
  /** Absent without a stress test. */
  readonly evaluator_errors?: EvaluatorErrors;
  readonly all: GroupResult;
  /** Absent for a type without instances. */
  readonly by_type: Readonly<Partial<Record<InstanceType, GroupResult>>>;
}

/** The result of a group of instances. */
export interface GroupResult {
  readonly counts: Readonly<Omit<Counts, 'missing_by'>>;
  /** Micro averages from 0 to 1. */
  readonly inference: (MatchScores & { readonly intervals: { readonly f1: Interval | null } }) | null;
  /** From 1 to 10. */
  readonly generation: {
    readonly average_score: number | null;
    readonly intervals: { readonly average_score: Interval | null };
  } | null;
  /** Shares from 0 to 1; absent in results of before this task. */
  readonly choice?:
    | (Readonly<ChoiceAverages> & {
        readonly intervals: {
          readonly accuracy: Interval | null;
          readonly paired_accuracy: Interval | null;
        };
      })
    | null;
}

/** Returns the main number of a group of instances, with its interval. */
export function getMainNumber({ inference, generation, choice }: Partial<GroupResult> = {}): {
  readonly value: number | null | undefined;
  readonly interval: Interval | null | undefined;
} {
  return {
    value: inference?.f1 ?? generation?.average_score ?? choice?.accuracy,
    interval: inference?.intervals.f1 ?? generation?.intervals.average_score ?? choice?.intervals.accuracy,
  };
}

export type MatchScores = Readonly<Pick<InferenceAverages, 'precision' | 'recall' | 'f1'>>;

export const GROUP_TITLES: Readonly<Record<Group, string>> = {
  all: 'All',
  consistent: 'Consistent',
  contrastive: 'Contrastive',
  changing: 'Changing',
};
