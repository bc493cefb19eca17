import { historyToJSON, type History } from '@temporalio/common/lib/proto-utils';
import { recordedHistorySchema, type RecordedHistory } from '../../schemas/run/bundle';

/** Returns a history in the form in which bundles hold it. */
export function buildRecordedHistory(history: History): RecordedHistory {
  return recordedHistorySchema.parse(JSON.parse(historyToJSON(history)));
}
