import { createHash } from 'node:crypto';
import type { z } from 'zod';
import { parseJson } from '../../formatting/issues';
import { batchCallSchema, batchSchema, type Batch, type BatchCall } from '../../schemas/run/batch';
import type { Store } from '../store/store';

/** A batch of a run's store is not as it was written. */
export class BatchError extends Error {
  override readonly name = 'BatchError';
}

/** All batches of a run, in order. A folder without `batch.json` was left by a crash, and is none. @throws BatchError */
export async function readBatches(store: Store): Promise<Batch[]> {
  const names = (await store.list(FOLDER)).map((folder) => `${folder}/${RECORD}`);
  const texts = await Promise.all(names.map(async (name) => ({ name, text: await store.read(name) })));
  return texts.flatMap(({ name, text }) => (text === undefined ? [] : [parse(batchSchema, name, text)]));
}

/** Those that wait for their answers, or to be sent. */
export async function readOpenBatches(store: Store): Promise<Batch[]> {
  return (await readBatches(store)).filter(({ ended }) => ended === undefined);
}

/** @throws BatchError */
export async function readBatch(store: Store, number: number): Promise<Batch> {
  const name = nameOf(number, RECORD);
  const text = await store.read(name);
  if (text === undefined) throw new BatchError(`.cupid/${name} is missing. ${REMEDY}`);
  return parse(batchSchema, name, text);
}

export async function writeBatch(store: Store, batch: Batch): Promise<void> {
  await store.write(nameOf(batch.number, RECORD), `${JSON.stringify(batch)}\n`);
}

/** Keeps a batch that is about to be sent: its requests and calls first, so that its record is only there with them. */
export async function createBatch(
  store: Store,
  batch: Omit<Batch, 'sha256'>,
  calls: readonly BatchCall[],
  requests: readonly string[],
): Promise<void> {
  const text = joinLines(requests);
  await store.write(nameOf(batch.number, REQUESTS), text);
  await store.write(nameOf(batch.number, CALLS), joinLines(calls.map((call) => JSON.stringify(call))));
  await writeBatch(store, { ...batch, sha256: computeDigest(text) });
}

/** The requests of a batch, as they are sent: one a line. @throws BatchError when they are not those that were kept */
export async function readBatchRequests(store: Store, { number, sha256 }: Batch): Promise<string> {
  const name = nameOf(number, REQUESTS);
  const text = await store.read(name);
  if (text !== undefined && computeDigest(text) === sha256) return text;
  throw new BatchError(`.cupid/${name} is ${text === undefined ? 'missing' : 'damaged'}. ${REMEDY}`);
}

/** The calls of a batch, in the order of its requests. @throws BatchError */
export async function readBatchCalls(store: Store, { number, requests }: Batch): Promise<BatchCall[]> {
  const name = nameOf(number, CALLS);
  const lines = ((await store.read(name)) ?? '').split('\n').filter((line) => line !== '');
  if (lines.length !== requests) throw new BatchError(`.cupid/${name} is damaged. ${REMEDY}`);
  return lines.map((line) => parse(batchCallSchema, name, line));
}

export function formatGivingUp({ number }: Batch): string {
  return `To give up the batch instead, delete .cupid/${nameOf(number)}: its calls are then sent again, and you pay for them again.`;
}

const FOLDER = 'batches';
const RECORD = 'batch.json';
const REQUESTS = 'requests.jsonl';
const CALLS = 'calls.jsonl';

const REMEDY =
  'Restore the file from a copy, or delete its folder: the calls of that batch are then sent again, and you pay for them again.';

function nameOf(number: number, file?: string): string {
  const folder = `${FOLDER}/${String(number).padStart(6, '0')}`;
  return file === undefined ? folder : `${folder}/${file}`;
}

function joinLines(lines: readonly string[]): string {
  return lines.map((line) => `${line}\n`).join('');
}

function parse<T>(schema: z.ZodType<T>, name: string, text: string): T {
  const { value, problem } = parseJson(schema, `.cupid/${name}`, text);
  if (problem === undefined) return value;
  throw new BatchError(`${problem}\n${REMEDY}`);
}

function computeDigest(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}
