import { withVerification, withVerificationTotals } from '../../data/card/verification';
import { computeCompressionRatio } from '../../data/sets/compression';
import type { DataSet } from '../../data/sets/data-set';
import { findVerification, type Verification } from '../../data/sets/verification';
import { DataSetCounter } from '../../rules/statistics/run-statistics';
import type { Instance } from '../../schemas/dataset/instance';
import type { ExportSource } from './source';

/** Selects all instances. If they were verified, the card gets the totals. */
export async function selectAll(
  source: ExportSource<Instance>,
  dataSet: DataSet,
): Promise<ExportSource<Instance>> {
  const results = await findVerification(dataSet);
  if (results === undefined) return source;
  return { ...source, finishCard: (card) => withVerificationTotals(card, results) };
}

/** Selects the accepted instances of a data set, with a card that describes them. */
export function selectAccepted(
  source: ExportSource<Instance>,
  { results, isAccepted }: Verification,
): ExportSource<Instance> {
  let counter = new DataSetCounter({ withRecords: false });
  return {
    ...source,
    async *rows() {
      counter = new DataSetCounter({ withRecords: false });
      for await (const instance of source.rows()) {
        if (!isAccepted(instance)) continue;
        counter.addInstance(instance);
        yield instance;
      }
    },
    finishCard: (card) => withVerification(card, results, counter.end(computeCompressionRatio)),
    keeps: isAccepted,
  };
}
