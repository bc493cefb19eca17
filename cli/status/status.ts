import { setTimeout as wait } from 'node:timers/promises';
import { readStatus } from '../../runs/status/read-status';
import type { RunStatus } from '../../runs/status/run-status';
import { createRunFinder } from '../../runs/folder/find-run';
import { EXIT } from '../exit';
import { waitUntilInterrupted } from '../interrupt';
import { print, printResult, drawLines, eraseRows, writeText } from '../output';
import { renderStatus } from './status-text';
import { renderTrend, takeReadings, type Reading } from './trend';

interface StatusOptions {
  readonly watch?: true;
  readonly json?: true;
  readonly profile?: string;
}

/** Runs `cupid status`: prints the status of a run once, or until the run ends. Returns the exit code. */
export async function showStatus(run: string, options: StatusOptions): Promise<number> {
  const find = createRunFinder(run, options.profile);
  const read = async () => readStatus(await find());
  const first = await read();
  if (options.watch !== true) {
    printResult(options, first, () => renderStatus(first, run));
    return EXIT.done;
  }
  const screen = createScreen(process.stdout);
  const readings: Reading[] = [];
  const show = (now: RunStatus) => {
    if (options.json === true) {
      print(JSON.stringify(now));
      return;
    }
    readings.push(...takeReadings(now, performance.now()));
    screen.draw(renderStatus(now, run, renderTrend(readings)));
  };
  const leaving = new AbortController();
  await waitUntilInterrupted(watch(first, read, show, leaving.signal), () => leaving.abort());
  return EXIT.done;
}

/** Shows the status of the run until no process works for it. */
async function watch(
  first: RunStatus,
  read: () => Promise<RunStatus>,
  show: (status: RunStatus) => void,
  leaving: AbortSignal,
): Promise<void> {
  let now = first;
  for (;;) {
    show(now);
    if (OVER.has(now.state)) return;
    try {
      await wait(process.stdout.isTTY ? 2_000 : 10_000, undefined, { signal: leaving });
      now = await read();
    } catch (error) {
      if (leaving.aborted) return;
      throw error;
    }
    if (leaving.aborted) return;
  }
}

const OVER: ReadonlySet<RunStatus['state']> = new Set(['stopped', 'finished', 'ended']);

/** A part of the terminal that is redrawn. Elsewhere, each drawing is a block of its own. */
interface Screen {
  draw(lines: readonly string[]): void;
}

function createScreen(output: NodeJS.WriteStream): Screen {
  let drawn = 0;
  return {
    draw(lines) {
      if (!output.isTTY) {
        writeText(output, `${lines.join('\n')}\n`);
        return;
      }
      eraseRows(output, drawn);
      // Lines that scrolled off the top of the terminal cannot be redrawn.
      drawn = drawLines(output, lines.slice(0, Math.max(1, (output.rows || 24) - 1)));
    },
  };
}
