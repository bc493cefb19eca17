import { z } from 'zod';
import { dataFiguresSchema } from '../../schemas/dataset/data-figures';
import { dataStatisticsSchema } from '../../schemas/dataset/data-statistics';
import type { Store } from '../store/store';
import { findJson } from './inputs';

const runStatisticsSchema = z.object({ statistics: dataStatisticsSchema, figures: dataFiguresSchema });
type StoredStatistics = z.infer<typeof runStatisticsSchema>;

/** Keeps what was counted of a run's data sets: counting their tokens takes longer than anything else that a report shows. */
export async function writeRunStatistics(store: Store, counted: StoredStatistics): Promise<void> {
  await store.write(NAME, `${JSON.stringify(counted)}\n`);
}

/** Returns undefined while no data sets were built. @throws Error when it is damaged */
export async function findRunStatistics(store: Store): Promise<StoredStatistics | undefined> {
  return findJson(
    runStatisticsSchema,
    store,
    NAME,
    'Delete it and repeat the cupid synth command of this run: the data sets are counted again.',
  );
}

const NAME = 'datasets/statistics.json';
