import { appendFileSync } from 'node:fs';
import type { WorldEvent } from '../../activities/world';
import { formatModelName } from '../../schemas/model/model-spec';
import type { CallObserver } from '../run-ledger';
import { parseCallPlace } from './call-place';

/** Something that happened, and to what. Holds no key and no text of a dialogue: providers' messages may quote both, so kinds stand for them. */
export interface LogRecord {
  readonly level: string;
  readonly message: string;
  readonly run?: string;
  readonly [detail: string]: unknown;
}

export type Log = (record: LogRecord) => void;

/** A record as a line of JSON. @param time in ISO 8601 */
export function formatLogLine(record: LogRecord, time = new Date().toISOString()): string {
  return JSON.stringify({ time, ...record }, (_, value: unknown) =>
    value instanceof Error ? { name: value.name, stack: listFrames(value) } : value,
  );
}

/** Where an error was thrown, without its message. */
function listFrames({ stack = '' }: Error): string[] {
  return stack.split('\n').flatMap((line) => (/^\s+at /.test(line) ? [line.trim()] : []));
}

/** Appends what is logged to a file, a line of JSON each. @param more receives each line too */
export function openLog(file: string, more?: (line: string) => void): Log {
  return (record) => {
    const line = formatLogLine(record);
    more?.(line);
    try {
      appendFileSync(file, `${line}\n`);
    } catch {
      // What cannot be written, on a full disk say, must not end the run.
    }
  };
}

/** Logs the calls of a run that gave no answer, or a refusal. */
export function logCalls(log: Log, run: string): CallObserver {
  return {
    sent: ({ key, spec, step }) => ({
      ended(row) {
        const [kind] = row === undefined ? ['unwritten'] : Object.keys(row.failed);
        if (kind === undefined && row?.refused === 0) return;
        const { dialogue: _, ...place } = parseCallPlace(key);
        const message = kind === undefined ? 'The model refused the content.' : 'The call was not answered.';
        const model = formatModelName(spec);
        log({ level: 'WARN', message, run, ...place, model, step, ...(kind === undefined ? {} : { kind }) });
      },
    }),
  };
}

/** Logs what keeps a run waiting, and what its providers taught. */
export function logEvent(log: Log, run: string, event: WorldEvent): void {
  if (event.type === 'waiting') {
    log({ level: 'WARN', message: 'The run waits.', run, kind: event.cause });
  } else if (event.type === 'learned') {
    const model = formatModelName(event.spec);
    const parameters = Object.keys(event.facts);
    log({ level: 'WARN', message: 'The model rejected a parameter.', run, model, parameters });
  }
}
