import type { InstanceGroup } from '../../data/paper';
import type { ResultCell } from '../../schemas/evaluation/results';
import type { InstanceType } from '../../schemas/dataset/instance-type';
import type { Interval } from '../../schemas/text/numbers';

/** The result of a group of instances. */
export type GroupResult = ResultCell['all'];

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

/** Returns the instances beside a number; nothing where there is no number. */
export function toCount(instances = 0): { readonly n?: number } {
  return instances === 0 ? {} : { n: instances };
}

/** Returns the instances that the results of a type rest on. */
export function countType(
  { by_type }: Pick<ResultCell, 'by_type'>,
  type: InstanceType,
): { readonly n?: number } {
  const { inference, generation, choice } = by_type[type] ?? {};
  return toCount((inference ?? generation ?? choice)?.n_instances);
}

export const GROUP_TITLES: Readonly<Record<InstanceGroup, string>> = {
  all: 'All',
  consistent: 'Consistent',
  contrastive: 'Contrastive',
  changing: 'Changing',
};
