import { relative, resolve } from 'node:path';
import { type PersonaOptions, readPersonaFilter } from '../../data/sets/persona-filter';
import { formatCount } from '../../schemas/text/count-text';
import { openReportFile } from '../../pages/report/file';
import { buildReport } from '../../pages/report/report';
import { EXIT } from '../exit';
import { printMessage, printResult } from '../output';

interface ReportOptions extends PersonaOptions {
  readonly out?: string;
  readonly json?: true;
}

/** Runs `cupid report`: writes one page about runs and results. Returns the exit code. */
export async function report(folders: readonly string[], options: ReportOptions): Promise<number> {
  const filter = await readPersonaFilter(options);
  const file = await openReportFile(options.out, folders);
  let reading = folders[0] ?? '';
  // Most reports are ready before this prints.
  const patience = setTimeout(() => printMessage(`Reading ${reading} …`), 2_000);
  let page: string;
  try {
    page = await buildReport(folders, (folder) => (reading = folder), filter);
  } finally {
    clearTimeout(patience);
  }
  await file.writePage(page);
  const bytes = Buffer.byteLength(page);
  const path = relative(process.cwd(), resolve(file.path));
  printResult(
    options,
    { file: resolve(file.path), bytes },
    () => `${path}  ${formatSize(bytes)}: open it in any browser; it needs no network.`,
  );
  return EXIT.done;
}

function formatSize(bytes: number): string {
  return bytes < 100_000
    ? formatCount(Math.ceil(bytes / 1_000), 'kB', 'kB')
    : `${(bytes / 1e6).toFixed(1)} MB`;
}
