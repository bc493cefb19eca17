import { setTimeout } from 'node:timers/promises';
import { formatCount, formatNumber } from '../../schemas/text/count-text';
import type { WrittenPart } from '../../schemas/dataset/export';
import { quotePath } from '../../schemas/text/shell-text';
import { EXIT } from '../exit';
import { waitUntilInterrupted } from '../interrupt';
import { printMessage, printResult } from '../output';
import { reportProgress } from '../progress-lines';

/** Services for the work that makes a folder. */
interface Surroundings {
  readonly signal: AbortSignal;
  readonly progress: () => void;
  readonly report: (line: string) => void;
}

/**
 * Runs work that makes a folder and prints its progress. An interrupt stops the work, and leaves no folder.
 * @param title text before the progress, such as `Exporting out`
 * @param describe renders the result for a terminal
 * @returns the exit code
 */
export async function makeFolder<Report>(
  title: string,
  make: (surroundings: Surroundings) => Promise<Report>,
  describe: (report: Report) => string[],
  options: { readonly json?: true },
): Promise<number> {
  const stop = new AbortController();
  let rows = 0;
  using _progress = reportProgress(() =>
    rows > 0 ? `${title}: ${formatCount(rows, 'row')} so far.` : undefined,
  );
  const work = make({ signal: stop.signal, progress: () => (rows += 1), report: printMessage });
  const outcome = await waitUntilInterrupted(work, () => stop.abort(), STOPPED);
  const report = outcome === 'interrupted' ? await checkLastChance(work) : outcome;
  if (report !== undefined) {
    printResult(options, report, () => describe(report));
    return EXIT.done;
  }
  printMessage(STOPPED);
  // A download that is under way would keep the process.
  return process.exit(EXIT.interrupted);
}

/** Formats the command that tries the publication of a folder. Simulated data are published on request only. */
export function formatPublishCommand(
  folder: string,
  simulated: boolean,
  ...options: readonly string[]
): string {
  const allowing = simulated ? ['--allow-simulated'] : [];
  return [
    'cupid',
    'publish',
    quotePath(folder),
    '--repo OWNER/NAME',
    ...options,
    ...allowing,
    '--dry-run',
  ].join(' ');
}

/** Renders files and their sizes, one a line. */
export function renderParts(parts: readonly WrittenPart[]): string[] {
  const width = Math.max(...parts.map(({ path }) => path.length));
  return parts.map(({ path, files, rows, bytes }) => {
    const sizes = [
      ...(path.includes('*')
        ? [formatCount(files, 'file')]
        : rows === undefined
          ? []
          : [formatCount(rows, 'row')]),
      `${formatNumber(bytes)} bytes`,
    ];
    return `  ${path.padEnd(width)}  ${sizes.join(', ')}`;
  });
}

/** Waits for interrupted work to clean up. Returns its result if it finished all the same, else undefined. */
async function checkLastChance<Report>(work: Promise<Report>): Promise<Report | undefined> {
  return Promise.race([work.catch(() => undefined), setTimeout(GRACE_MS, undefined)]);
}

const GRACE_MS = 3_000;

const STOPPED = 'Stopped. Nothing was written.';
