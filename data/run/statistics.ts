import * as z from 'zod';
import { dataFiguresSchema } from '../../schemas/dataset/data-figures';
import { dataStatisticsSchema } from '../../schemas/dataset/data-statistics';
import type { Store } from '../store/store';
import { findJson, writeJson } from '../store/stored-json';

const runStatisticsSchema = z.object({ statistics: dataStatisticsSchema, figures: dataFiguresSchema });
type StoredStatistics = z.infer<typeof runStatisticsSchema>;

/** Stores the statistics of a run's data sets, because counting their tokens takes longer than the rest of a report. */
export async function writeRunStatistics(store: Store, statistics: StoredStatistics): Promise<void> {
  await writeJson(store, NAME, statistics);
}

/** Returns undefined while no data sets are built. @throws Error when it is damaged */
export async function findRunStatistics(store: Store): Promise<StoredStatistics | undefined> {
  return findJson(
    runStatisticsSchema,
    store,
    NAME,
    'Delete it and repeat the cupid synth command of this run: the data sets are counted again.',
  );
}

const NAME = 'datasets/statistics.json';
