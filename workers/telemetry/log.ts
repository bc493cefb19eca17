import { closeSync, writeSync } from 'node:fs';
import type { RunListener } from '../../activities/run-events';
import { formatModelName } from '../../schemas/model/model-spec';
import type { SentLine } from '../../schemas/run/ledger';
import { IrregularFile, openFileSync } from '../../data/store/own-file';
import { parseCallPlace } from './call-place';

/** Something that happened, and to what. Holds no key and no text of a dialogue: providers' messages may quote both, so kinds stand for them. */
export interface LogRecord {
  readonly level: string;
  readonly message: string;
  readonly run?: string;
  readonly [detail: string]: unknown;
}

export type Log = (record: LogRecord) => void;

/** Formats a record as a line of JSON. @param time in ISO 8601 */
export function formatLogLine(record: LogRecord, time = new Date().toISOString()): string {
  return JSON.stringify({ time, ...record }, (_, value: unknown) =>
    value instanceof Error ? { name: value.name, stack: listFrames(value) } : value,
  );
}

/** Lists the places where an error was thrown, without its message. */
function listFrames({ stack = '' }: Error): string[] {
  return stack.split('\n').flatMap((line) => (/^\s+at /.test(line) ? [line.trim()] : []));
}

/**
 * Appends what is logged to a file, a line of JSON each.
 * @param within the folder above it that the user named
 * @param onLine receives each line too
 * @throws IrregularFile when the file is a link, say
 */
export function openLog(file: string, within: string, onLine?: (line: string) => void): Log {
  try {
    append(file, within, '');
  } catch (error) {
    if (error instanceof IrregularFile) throw error;
  }
  return (record) => {
    const line = formatLogLine(record);
    onLine?.(line);
    try {
      append(file, within, `${line}\n`);
    } catch {
      // A failed write, such as on a full disk, must not end the run.
    }
  };
}

function append(file: string, within: string, text: string): void {
  const descriptor = openFileSync(file, within, 'append');
  try {
    writeSync(descriptor, text);
  } finally {
    closeSync(descriptor);
  }
}

/** Logs the events of a run: failed and refused calls, delays, notices to the user, and the capabilities learned from providers. */
export function logEvents(log: Log, run: string): RunListener {
  return (event) => {
    if (event.type === 'failed') {
      const message = 'The call was not answered.';
      log({ level: 'WARN', message, run, ...describeSent(event.line), kind: event.kind });
    } else if (event.type === 'answered' && event.row.refusals > 0) {
      log({ level: 'WARN', message: 'The model refused the content.', run, ...describeSent(event.line) });
    } else if (event.type === 'delayed') {
      log({ level: 'WARN', message: 'The run waits.', run, kind: event.cause });
    } else if (event.type === 'noticed') {
      log({ level: 'WARN', message: event.message, run });
    } else if (event.type === 'learned') {
      const model = formatModelName(event.spec);
      const parameters = Object.keys(event.facts);
      log({ level: 'WARN', message: 'The parameters sent to the model changed.', run, model, parameters });
    }
  };
}

function describeSent({ key, spec, step }: SentLine) {
  const { dialogue: _, ...place } = parseCallPlace(key);
  return { ...place, model: formatModelName(spec), step };
}
