import { historyToJSON, type History } from '@temporalio/common/lib/proto-utils';
import { recordedHistorySchema, type RecordedHistory } from '../../schemas/run/bundle';
import { readKeyring } from '../encryption/keys';
import { parseEncryptedHistory } from '../encryption/payloads';

/** A history in the form in which bundles hold it. @throws EncryptionError when a key is missing */
export function buildRecordedHistory(history: History): RecordedHistory {
  return recordedHistorySchema.parse(parseEncryptedHistory(readKeyring(), historyToJSON(history)));
}
