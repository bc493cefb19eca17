import { setTimeout } from 'node:timers/promises';
import type { WrittenPart } from '../schemas/export';
import { EXIT } from './exit';
import { untilInterrupted } from './interrupt';
import { counted, number } from './number-text';
import { print, say } from './output';

/** What work that makes a folder is given. */
interface Surroundings {
  readonly signal: AbortSignal;
  readonly progress: () => void;
  readonly report: (line: string) => void;
}

/**
 * Has a folder made, tells how far it is, and ends it when interrupted: then the folder is not there.
 * @param doing as progress begins: `Exporting out`
 * @param told what is printed of the result
 * @returns the exit code
 */
export async function makeFolder<Report>(
  doing: string,
  make: (surroundings: Surroundings) => Promise<Report>,
  told: (report: Report) => string,
): Promise<number> {
  const stop = new AbortController();
  let rows = 0;
  const telling = setInterval(() => rows > 0 && say(`${doing}: ${counted(rows, 'row')} so far.`), QUIET_MS);
  try {
    const work = make({ signal: stop.signal, progress: () => (rows += 1), report: say });
    const ended = await untilInterrupted(work, () => stop.abort(), STOPPED);
    const report = ended === 'interrupted' ? await lastChance(work) : ended;
    if (report !== undefined) {
      print(told(report));
      return EXIT.done;
    }
    say(STOPPED);
    // A download that is under way would keep the process.
    return process.exit(EXIT.interrupted);
  } finally {
    clearInterval(telling);
  }
}

/** Files and sizes, a line each. */
export function partLines(parts: readonly WrittenPart[]): string[] {
  const width = Math.max(...parts.map(({ path }) => path.length));
  return parts.map(({ path, files, rows, bytes }) => {
    const sizes = [
      ...(path.includes('*') ? [counted(files, 'file')] : rows === undefined ? [] : [counted(rows, 'row')]),
      `${number(bytes)} bytes`,
    ];
    return `  ${path.padEnd(width)}  ${sizes.join(', ')}`;
  });
}

/** Before the first word on how far it is, and between any two. */
const QUIET_MS = 2_000;

/** Work that was told to stop clears up, or was done just then; undefined when it is not done. */
async function lastChance<Report>(work: Promise<Report>): Promise<Report | undefined> {
  return Promise.race([work.catch(() => undefined), setTimeout(GRACE_MS, undefined)]);
}

const GRACE_MS = 3_000;

const STOPPED = 'Stopped; nothing was written.';
