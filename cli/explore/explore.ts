import { openExplorer } from '../../pages/explore/explorer';
import { EXIT } from '../exit';
import { waitUntilInterrupted } from '../interrupt';
import { print, printMessage } from '../output';

interface ExploreOptions {
  readonly port?: number;
  readonly temporalUi?: string;
}

/** Runs `cupid explore`: serves a page about a run, results or data until Ctrl-C. Returns the exit code. */
export async function explore(
  names: readonly string[],
  { port, temporalUi }: ExploreOptions,
): Promise<number> {
  const page = await openExplorer(names, {
    port,
    temporalUi,
    report: printMessage,
    environment: process.env,
  });
  // Standard output has the URL alone on its line, so that a program can read it.
  print(page.url);
  printMessage('Open this link in your browser. Press Ctrl-C to stop.');
  // Nothing settles it: the page is served until somebody stops the command.
  await waitUntilInterrupted(
    new Promise(() => undefined),
    () => printMessage('Stopping.'),
    'Stopped at once.',
  );
  await page.close();
  return EXIT.done;
}
