import type { JournalEntry } from '../../schemas/run/journal';
import { ledgerLineSchema, type LedgerLine } from '../../schemas/run/ledger';
import { parseJson } from '../../schemas/text/issues';
import { JournalError, type Journal } from './journal';
import type { Store } from '../store/store';

/**
 * A worker's own file of the ledger: `ledger/<worker>.jsonl` of the run's store. No other process writes to it. A call has a line before
 * it is sent and one when its outcome is known, so the amount spent is known after any crash. A call without the second line counts as
 * answered if the journal has its answer; otherwise it is lost, and charged at its estimate.
 */
export interface LedgerFile {
  /** Writes a line. Rejects when the disk refuses it; the line may then be written again. */
  write(line: LedgerLine): Promise<void>;
}

export function openLedger(store: Store, worker: string): LedgerFile {
  const name = buildLedgerName(worker);
  let queue: {
    readonly text: string;
    readonly resolve: () => void;
    readonly reject: (error: unknown) => void;
  }[] = [];
  let isWriting = false;
  let torn = false;
  // One request at a time, with all lines that came since the last: the partial line that a full disk leaves must not run into the next.
  const writeAll = async () => {
    isWriting = true;
    while (queue.length > 0) {
      const lines = queue;
      queue = [];
      const text = `${torn ? `${GIVEN_UP}\n` : ''}${lines.map((line) => line.text).join('')}`;
      try {
        await store.append(name, text);
        torn = false;
        for (const { resolve } of lines) resolve();
      } catch (error) {
        torn = true;
        for (const { reject } of lines) reject(error);
      }
    }
    isWriting = false;
  };
  return {
    write: (line) =>
      new Promise((resolve, reject) => {
        queue.push({ text: `${JSON.stringify(line)}\n`, resolve, reject });
        if (!isWriting) void writeAll();
      }),
  };
}

/** Writes all lines of a batch's calls, under its id: a batch outlives the processes that send and fetch it, and its calls end together. */
export async function writeLedger(store: Store, batch: string, lines: readonly LedgerLine[]): Promise<void> {
  await store.write(buildLedgerName(batch), lines.map((line) => `${JSON.stringify(line)}\n`).join(''));
}

/** A ledger is damaged. */
export class LedgerError extends Error {
  override readonly name = 'LedgerError';
}

/**
 * Reads the lines of every worker by its name, anew for each iteration. Leaves out a last line that a crash cut off.
 * @throws LedgerError that names the file, the line and the remedy, during iteration
 */
export async function readLedgerLines(
  store: Store,
): Promise<{ readonly worker: string; readonly lines: AsyncIterable<LedgerLine> }[]> {
  const names = await store.list(FOLDER);
  return names.map((name) => ({
    worker: decodeURIComponent(name.slice(FOLDER.length + 1).replace(/\.jsonl$/, '')),
    lines: { [Symbol.asyncIterator]: () => parseLines(store, name) },
  }));
}

/** Creates the lookup of answers for settling calls. A damaged answer counts as none, so its call is charged at its estimate. */
export function createAnswerLookup(journal: Journal): (key: string) => Promise<JournalEntry | undefined> {
  return async (key) => {
    try {
      return await journal.find(key);
    } catch (error) {
      if (error instanceof JournalError) return undefined;
      throw error;
    }
  };
}

const FOLDER = 'ledger';

function buildLedgerName(worker: string): string {
  return `${FOLDER}/${encodeURIComponent(worker)}.jsonl`;
}

/** Ends a line that the disk took only in part: the character "cancel", which JSON never contains unescaped. */
const GIVEN_UP = '\u0018';

async function* parseLines(store: Store, name: string): AsyncGenerator<LedgerLine> {
  let unfinished = '';
  let number = 0;
  for await (const block of store.blocks(name)) {
    const lines = (unfinished + block).split('\n');
    // Text after the last line feed continues in the next block, was cut off by a crash, or is being written.
    unfinished = lines.pop() ?? '';
    for (const text of lines) {
      number += 1;
      // On some systems, a power cut leaves zeros in place of lost text.
      const line = text.replaceAll('\0', '');
      if (line !== '' && !line.endsWith(GIVEN_UP)) yield parseLedgerLine(line, `${name}, line ${number}`);
    }
  }
}

const REMEDY =
  'Restore the file from a copy, or delete this line; the usage of that call is then not counted.';

function parseLedgerLine(line: string, place: string): LedgerLine {
  const { value, problem } = parseJson(ledgerLineSchema, place, line);
  if (problem === undefined) return value;
  throw new LedgerError(`${problem}\n${REMEDY}`);
}
