import type { DataFigures } from '../../schemas/dataset/data-figures';
import type { DataStatistics } from '../../schemas/dataset/data-statistics';
import type { StoredPersona } from '../../schemas/dataset/record';
import type { SynthesisSettings } from '../../schemas/run/settings';
import { listRelevantSessions, splitInstances } from '../instances/split';
import { createFigureCounter } from './figures';
import { createStatisticsCounter } from './statistics';

export interface RunStatistics {
  readonly statistics: DataStatistics;
  readonly figures: DataFigures;
}

/** Counts a run's data, persona by persona. */
interface RunStatisticsCounter {
  add(kept: StoredPersona): void;
  /** @param computeCompressionRatio size over compressed size of a text */
  end(computeCompressionRatio: (text: string) => number): RunStatistics;
}

export function createRunStatisticsCounter({
  taxonomy,
  maxTurns,
  seed,
}: Pick<SynthesisSettings, 'taxonomy' | 'maxTurns' | 'seed'>): RunStatisticsCounter {
  const statistics = createStatisticsCounter(taxonomy);
  const figures = createFigureCounter({ withRecords: true, taxonomy, maxTurns });
  return {
    add(kept) {
      statistics.addRecord(kept.record);
      figures.addRecord(kept.record);
      figures.addSelections(kept);
      for (const { instance } of splitInstances(kept.record, seed)) {
        statistics.addInstance(instance);
        figures.addInstance(instance);
      }
    },
    end(computeCompressionRatio) {
      return { statistics: statistics.end(), figures: figures.end(computeCompressionRatio) };
    },
  };
}

/** Returns true for a persona that is in the data. One with a dialogue that never satisfied its user may be left out. */
export function isIncluded(
  { requireSatisfied }: Pick<SynthesisSettings, 'requireSatisfied'>,
  { record }: Pick<StoredPersona, 'record'>,
): boolean {
  if (requireSatisfied === 'none') return true;
  const required = requireSatisfied === 'all' ? undefined : new Set(listRelevantSessions(record));
  return record.interactions.every(
    ({ session_id: id, is_satisfied: satisfied }) => satisfied || required?.has(id) === false,
  );
}
