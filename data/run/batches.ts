import type * as z from 'zod';
import { hashText } from '../store/files';
import { parseJson } from '../../schemas/text/issues';
import { batchCallSchema, batchSchema, type Batch, type BatchCall } from '../../schemas/run/batch';
import type { Store } from '../store/store';

/** A batch in the run's store is damaged. */
class BatchError extends Error {
  override readonly name = 'BatchError';
}

/** Reads all batches of a run, in order. A folder without `batch.json` was left by a crash, and is skipped. @throws BatchError */
export async function readBatches(store: Store): Promise<Batch[]> {
  const names = (await store.list(FOLDER)).map((folder) => `${folder}/${RECORD}`);
  const texts = await Promise.all(names.map(async (name) => ({ name, text: await store.read(name) })));
  return texts.flatMap(({ name, text }) =>
    text === undefined ? [] : [parseBatchFile(batchSchema, name, text)],
  );
}

/** Reads the batches that wait to be sent or answered. */
export async function readOpenBatches(store: Store): Promise<Batch[]> {
  return (await readBatches(store)).filter(({ end }) => end === undefined);
}

/** @throws BatchError */
export async function readBatch(store: Store, number: number): Promise<Batch> {
  const name = buildRecordName(number);
  const text = await store.read(name);
  if (text === undefined) throw new BatchError(`.cupid/${name} is missing. ${REMEDY}`);
  return parseBatchFile(batchSchema, name, text);
}

export async function writeBatch(store: Store, batch: Batch): Promise<void> {
  await store.write(buildRecordName(batch.number), `${JSON.stringify(batch)}\n`);
}

/**
 * Changes a batch in its latest stored form, unless it has ended, because another process may have cancelled it. Returns whether it was
 * open.
 */
export async function changeOpenBatch(
  store: Store,
  number: number,
  change: Partial<Batch>,
): Promise<boolean> {
  const batch = await readBatch(store, number);
  if (batch.end !== undefined) return false;
  await writeBatch(store, { ...batch, ...change });
  return true;
}

/**
 * Stores a batch that is about to be sent: requests and calls first, so that its record never exists without them.
 * @throws Error when another process has already stored a batch of this number
 */
export async function createBatch(
  store: Store,
  batch: Omit<Batch, 'sha256'>,
  calls: readonly BatchCall[],
  requests: readonly string[],
): Promise<void> {
  const text = joinLines(requests);
  await store.write(buildBatchFileName(batch, REQUESTS), text);
  await store.write(buildBatchFileName(batch, CALLS), joinLines(calls.map((call) => JSON.stringify(call))));
  const record = JSON.stringify({ ...batch, sha256: hashText(text) } satisfies Batch);
  if (await store.create(buildRecordName(batch.number), `${record}\n`)) return;
  throw new Error(`Another process has collected batch ${batch.number} of this run.`);
}

/** Reads the requests of a batch as they are sent, one a line. @throws BatchError when they were changed */
export async function readBatchRequests(store: Store, batch: Batch): Promise<string> {
  const name = buildBatchFileName(batch, REQUESTS);
  const text = await store.read(name);
  if (text !== undefined && hashText(text) === batch.sha256) return text;
  throw new BatchError(`.cupid/${name} is ${text === undefined ? 'missing' : 'damaged'}. ${REMEDY}`);
}

/** Reads the calls of a batch, in the order of its requests. @throws BatchError */
export async function readBatchCalls(store: Store, batch: Batch): Promise<BatchCall[]> {
  const name = buildBatchFileName(batch, CALLS);
  const lines = ((await store.read(name)) ?? '').split('\n').filter((line) => line !== '');
  if (lines.length !== batch.requests) throw new BatchError(`.cupid/${name} is damaged. ${REMEDY}`);
  return lines.map((line) => parseBatchFile(batchCallSchema, name, line));
}

export function formatGivingUp({ number }: Batch): string {
  return `To give up the batch instead, delete .cupid/${folderOf(number)}: its calls are then sent again, and you pay for them again.`;
}

const FOLDER = 'batches';
const RECORD = 'batch.json';
const REQUESTS = 'requests.jsonl';
const CALLS = 'calls.jsonl';

const REMEDY =
  'Restore the file from a copy, or delete its folder: the calls of that batch are then sent again, and you pay for them again.';

function folderOf(number: number): string {
  return `${FOLDER}/${String(number).padStart(6, '0')}`;
}

function buildRecordName(number: number): string {
  return `${folderOf(number)}/${RECORD}`;
}

/** Builds a name with the batch's id: two processes that collect a batch of the same number must not overwrite each other's files. */
function buildBatchFileName({ number, id }: Pick<Batch, 'number' | 'id'>, file: string): string {
  return `${folderOf(number)}/${id}.${file}`;
}

function joinLines(lines: readonly string[]): string {
  return lines.map((line) => `${line}\n`).join('');
}

function parseBatchFile<T>(schema: z.ZodType<T>, name: string, text: string): T {
  const { value, problem } = parseJson(schema, `.cupid/${name}`, text);
  if (problem === undefined) return value;
  throw new BatchError(`${problem}\n${REMEDY}`);
}
