import { writeBundle, type BundleReport } from '../../pages/explore/bundle';
import { openExplorer } from '../../pages/explore/explorer';
import { formatCount, formatNumber } from '../../schemas/text/count-text';
import { makeFolder } from '../data-sets/make-folder';
import { EXIT } from '../exit';
import { waitUntilInterrupted } from '../interrupt';
import { print, printMessage } from '../output';
import { describeTunnel } from '../ssh-tunnel';
import { quotePath } from '../../schemas/text/shell-text';

interface ExploreOptions {
  readonly port?: number;
  readonly publicUrl?: string;
  readonly temporalUi?: string;
  readonly bundle?: string;
}

/** Runs `cupid explore`: serves a page about a run, results or data until Ctrl-C, or writes it. Returns the exit code. */
export async function explore(
  names: readonly string[],
  { port, publicUrl, temporalUi, bundle }: ExploreOptions,
): Promise<number> {
  const environment = process.env;
  if (bundle !== undefined) {
    printMessage(`Reading ${names.join(', ')}.`);
    return makeFolder(
      `Writing ${bundle}`,
      (surroundings) => writeBundle(names, bundle, { ...surroundings, environment }),
      (report) => describeBundle(bundle, report),
      {},
    );
  }
  const page = await openExplorer(names, {
    port,
    publicUrl,
    temporalUi,
    report: printMessage,
    environment,
  });
  // Standard output has the URL alone on its line, so that a program can read it.
  print(page.url);
  const tunnel = page.isProxied ? undefined : describeTunnel(page.url, environment);
  if (tunnel !== undefined) printMessage(tunnel);
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

function describeBundle(folder: string, { instances, files, bytes, simulated }: BundleReport): string[] {
  const size = `${formatCount(files, 'file')}, ${formatNumber(Math.ceil(bytes / 1e6))} MB`;
  return [
    `Wrote ${formatCount(instances, 'instance')}${simulated ? ' (simulated)' : ''} to ${folder}: ${size}.`,
    `Look at it: python3 -m http.server --bind 127.0.0.1 --directory ${quotePath(folder)}   # http://127.0.0.1:8000`,
    `Publish it as a Space: hf upload OWNER/NAME ${quotePath(folder)} --repo-type space`,
  ];
}
