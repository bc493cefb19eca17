import { readBatchCalls, writeBatch } from '../../data/run/batches';
import { writeLedger } from '../../data/run/ledger';
import {
  buildAnsweredLine,
  buildDuplicateLines,
  buildLedgerCallName,
  buildSentLines,
  tallyLines,
} from '../../engine/costs/ledger';
import type { ModelError } from '../../models/errors/error';
import type { ModelAnswer } from '../../models/model';
import type { BatchResult } from '../../models/batches/batch';
import type { Batch, BatchCall } from '../../schemas/run/batch';
import type { JournalEntry } from '../../schemas/run/journal';
import type { LedgerLine } from '../../schemas/run/ledger';
import { omitUndefined } from '../../schemas/omit-undefined';
import { withBelievableUsage } from '../believable-usage';
import type { World } from '../world';
import { buildCustomId } from './collect';
import { openBatch, type OpenBatch } from './open-batch';

interface FetchedBatch {
  readonly outcome: NonNullable<Batch['end']>['outcome'];
  readonly answers: number;
  /** Number of calls that go into no further batch. */
  readonly unansweredCalls: number;
}

/**
 * Stores the answers of an ended batch in the journal, and its calls in the ledger. Idempotent: the journal keeps the first answer, and the
 * ledger of a batch is written as a whole.
 * @throws ModelError
 */
export async function fetchBatch(
  world: World,
  input: { readonly run: string; readonly number: number },
): Promise<FetchedBatch> {
  const open = await openBatch(world, input);
  const { store } = open.files;
  const { batch } = open;
  if (batch.end !== undefined) {
    const { outcome, answers, unansweredKeys } = batch.end;
    return { outcome, answers, unansweredCalls: unansweredKeys.length };
  }
  const calls = await readBatchCalls(store, batch);
  const { outcome, message, unpaid } = await readEnd(open);
  const ends = new Map<number, LedgerLine>();
  const errors: BatchErrors = { corrected: new Set(), stop: unpaid };
  if (batch.providerId !== undefined && HAS_RESULTS.has(outcome)) {
    const results = open.model.results(batch.providerId, open.file, (id) => findCall(batch, calls, id));
    for await (const result of results) await take(world, open, calls, result, { ends, errors });
  }
  const lostCalls = calls.filter(({ number }) => ends.get(number)?.event !== 'answered');
  const unendedCalls = lostCalls.filter(({ number }) => !ends.has(number));
  for (const { number: call } of unendedCalls)
    ends.set(call, { event: 'failed', call, kind: outcome === 'completed' ? 'unanswered' : outcome });
  const sentAt = batch.submission?.sentAtMs ?? Date.now();
  const lines = [
    ...buildSentLines(batch, calls, sentAt),
    ...calls.flatMap(({ number }) => ends.get(number) ?? []),
    ...buildDuplicateLines(batch, calls, sentAt),
  ];
  await writeLedger(store, batch.id, lines);
  // Calls that the user stopped, that the provider had no room for, or that nobody could pay for, go into another batch.
  const isAgain = outcome === 'full' || batch.cancelledBy === 'user' || errors.stop !== undefined;
  const unansweredKeys = isAgain
    ? []
    : lostCalls.filter(({ number }) => !errors.corrected.has(number)).map(({ key }) => key);
  const answers = calls.length - lostCalls.length;
  const end = { outcome, answers, unansweredKeys, ...(message === undefined ? {} : { message }) };
  await writeBatch(store, { ...batch, end });
  world.emit({ type: 'batch', rows: tallyLines(batch.id, lines) });
  if (message !== undefined)
    world.emit({ type: 'delayed', cause: `batch ${batch.number} ${outcome}`, message });
  if (errors.stop !== undefined) throw errors.stop;
  return { outcome, answers, unansweredCalls: unansweredKeys.length };
}

/** Errors that decide what becomes of a batch's calls. */
interface BatchErrors {
  /** Numbers of the calls that go into another batch, because they are sent differently from now on. */
  readonly corrected: Set<number>;
  /** Key or credit that the provider rejected; the run stops, because its other calls would be rejected as well. */
  stop: ModelError | undefined;
}

const HAS_RESULTS: ReadonlySet<FetchedBatch['outcome']> = new Set(['completed', 'expired', 'cancelled']);

async function readEnd({ batch: { providerId }, ask }: OpenBatch): Promise<{
  readonly outcome: FetchedBatch['outcome'];
  readonly message?: string;
  readonly unpaid?: ModelError;
}> {
  if (providerId === undefined) return { outcome: 'cancelled' };
  const state = await ask((model) => model.poll(providerId));
  return state.state === 'ended' ? state : { outcome: 'unanswered' };
}

function findCall({ id }: Batch, calls: readonly BatchCall[], customId: string): BatchCall | undefined {
  const number = Number(customId.slice(customId.lastIndexOf('-') + 1));
  return customId === buildCustomId(id, number) ? calls[number - 1] : undefined;
}

/** Stores one answer, and records how its call ended. */
async function take(
  world: World,
  { files, batch }: OpenBatch,
  calls: readonly BatchCall[],
  result: BatchResult,
  { ends, errors }: { readonly ends: Map<number, LedgerLine>; readonly errors: BatchErrors },
): Promise<void> {
  const call = findCall(batch, calls, result.customId);
  if (call === undefined || ends.has(call.number)) return;
  if ('error' in result) {
    const { kind, usage: reported } = result.error;
    const { usage } = withBelievableUsage(world, batch.spec, { usage: reported }, call.estimate);
    ends.set(call.number, { event: 'failed', call: call.number, kind, ...omitUndefined({ usage }) });
    if (result.isCorrected === true) errors.corrected.add(call.number);
    if (result.error.kind === 'bad-key') errors.stop ??= result.error;
    return;
  }
  const answer = withBelievableUsage(world, batch.spec, result.answer, call.estimate);
  const entry = buildEntry(batch, call, answer);
  await files.journal.append(entry);
  const verdict = entry.answer.finish === 'refused' ? 'refused' : 'good';
  const [sent] = buildSentLines(batch, [call], 1);
  if (sent !== undefined) ends.set(call.number, buildAnsweredLine(sent, entry, verdict));
}

function buildEntry({ id, spec }: Batch, call: BatchCall, answered: ModelAnswer): JournalEntry {
  const { unknownFinish: _, ...answer } = answered;
  const { number, key, request, settings } = call;
  const ledgerCall = buildLedgerCallName(id, number);
  // The time of a single request in a batch is unknown.
  return { key, spec, request, settings, ledgerCall, answer: { ...answer, tier: 'batch' }, durationMs: 0 };
}
