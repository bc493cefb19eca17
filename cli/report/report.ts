import { dirname, join, relative, resolve } from 'node:path';
import { getErrorCode } from '../../data/store/system-error';
import { getReason } from '../../data/sets/error';
import { findEntry, readText } from '../../data/store/own-file';
import { writeAtomically } from '../../data/store/store';
import { formatCount } from '../../schemas/text/count-text';
import { MARK } from '../../pages/report/page';
import { buildReport } from '../../pages/report/report';
import { COMMAND, EXIT, UsageError } from '../exit';
import { printMessage, printResult } from '../output';

interface ReportOptions {
  readonly out?: string;
  readonly json?: true;
}

/** `cupid report`: one page about runs and results. Returns the exit code. */
export async function report(folders: readonly string[], options: ReportOptions): Promise<number> {
  const out = options.out ?? join(folders[0] ?? '.', 'report.html');
  // The user names the folder of a report that has no name of its own, and not the file.
  const within = options.out === undefined ? dirname(out) : undefined;
  await checkReplaceable(out, within);
  let reading = folders[0] ?? '';
  // Most reports are there before that.
  const patience = setTimeout(() => printMessage(`Reading ${reading} …`), 2_000);
  let page: string;
  try {
    page = await buildReport(folders, (folder) => (reading = folder));
  } finally {
    clearTimeout(patience);
  }
  await write(out, within, page);
  const bytes = Buffer.byteLength(page);
  const shown = relative(process.cwd(), resolve(out));
  printResult(
    options,
    { file: resolve(out), bytes },
    () => `${shown}  ${formatSize(bytes)}: open it in any browser; it needs no network.`,
  );
  return EXIT.done;
}

/** Another report may be written over, nothing else. */
async function checkReplaceable(file: string, within: string | undefined): Promise<void> {
  let text: string;
  try {
    text = await readText(file, within);
  } catch (error) {
    const code = getErrorCode(error);
    // Where the folder is none, reading it says so.
    if (code === 'ENOENT' || code === 'ENOTDIR') return;
    if ((await findEntry(file, within))?.isDirectory() === true)
      throw new UsageError(`${file} is a folder. Name a file: --out ${join(file, 'report.html')}`);
    throw new UsageError(`${file} cannot be written (${getReason(error)}). Name another file with --out.`);
  }
  if (text.includes(MARK)) return;
  throw new UsageError(
    `${file} exists and is not a report, so it was not replaced. Name another file with --out, or delete it.`,
  );
}

async function write(file: string, within: string | undefined, page: string): Promise<void> {
  try {
    await writeAtomically(file, page, within);
  } catch (error) {
    throw new Error(
      `${file} cannot be written (${getReason(error)}). Name a file in a folder that exists and that you may write to: ${COMMAND} report … --out FILE`,
      { cause: error },
    );
  }
}

function formatSize(bytes: number): string {
  return bytes < 100_000
    ? formatCount(Math.ceil(bytes / 1_000), 'kB', 'kB')
    : `${(bytes / 1e6).toFixed(1)} MB`;
}
