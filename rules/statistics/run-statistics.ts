import type { DataFigures } from '../../schemas/dataset/data-figures';
import type { DataStatistics } from '../../schemas/dataset/data-statistics';
import type { InstanceForm } from '../../schemas/dataset/instance';
import type { RecordForm, StoredPersona } from '../../schemas/dataset/record';
import type { SynthesisSettings } from '../../schemas/run/settings';
import { listRelevantSessions, type SplitInstance } from '../instances/split';
import { createFigureCounter, type CountedData, type FigureCounter } from './figures';
import { createStatisticsCounter, rememberTokens, type DataStatisticsCounter } from './statistics';

/** Statistics of a data set, and the figures of its quality. */
export interface CountedDataSet {
  readonly statistics: DataStatistics;
  readonly figures: DataFigures;
}

/** Counts a data set, row by row. A persona's record must be added before its instances. */
export class DataSetCounter {
  readonly #statistics: DataStatisticsCounter;
  readonly #figures: FigureCounter;

  constructor(data: CountedData) {
    this.#statistics = createStatisticsCounter(data.taxonomy);
    this.#figures = createFigureCounter(data);
  }

  addRecord(record: RecordForm): void {
    this.#statistics.addRecord(record);
    this.#figures.addRecord(record);
  }

  addInstance(instance: InstanceForm): void {
    this.#statistics.addInstance(instance);
    this.#figures.addInstance(instance);
  }

  /** Adds a persona of a run: its record, what its users selected, and its instances. */
  addStored(persona: StoredPersona, instances: readonly SplitInstance[]): void {
    for (const [at, { chat }] of persona.record.interactions.entries()) {
      const tokens = persona.dialogue_tokens[at];
      if (tokens !== undefined) rememberTokens(chat, tokens);
    }
    this.addRecord(persona.record);
    this.#figures.addSelections(persona);
    for (const { instance } of instances) this.addInstance(instance);
  }

  /** @param computeCompressionRatio size over compressed size of a text */
  end(computeCompressionRatio: (text: string) => number): CountedDataSet {
    return { statistics: this.#statistics.end(), figures: this.#figures.end(computeCompressionRatio) };
  }
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
