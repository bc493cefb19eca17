import { historyToJSON, type History } from '@temporalio/common/lib/proto-utils';
import { recordedHistorySchema, type RecordedHistory } from '../../schemas/run/bundle';

/** Converts a history to the form in bundles. */
export function buildRecordedHistory(history: History): RecordedHistory {
  return recordedHistorySchema.parse(JSON.parse(historyToJSON(history)));
}
