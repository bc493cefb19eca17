import { dirname, join } from 'node:path';
import { getReason } from '../../data/store/data-error';
import { findEntry, readText } from '../../data/store/own-file';
import { writeAtomically } from '../../data/store/store';
import { getErrorCode } from '../../data/store/system-error';
import { InputError } from '../../schemas/input-error';
import { MARK } from './page';

/** The file that a report is written to. */
interface ReportFile {
  readonly path: string;
  readonly writePage: (page: string) => Promise<void>;
}

/**
 * Opens the file of a report, before the slow work.
 * @param outFile absent for a file in the first folder
 * @throws InputError when another file is in its place
 */
export async function openReportFile(
  outFile: string | undefined,
  folders: readonly string[],
): Promise<ReportFile> {
  const path = outFile ?? join(folders[0] ?? '.', 'report.html');
  // The user chose the folder of a default path, but not the file in it.
  const within = outFile === undefined ? dirname(path) : undefined;
  await checkReplaceable(path, within);
  return { path, writePage: (page) => write(path, within, page) };
}

/** Allows a report to replace another report, but no other file. */
async function checkReplaceable(file: string, within: string | undefined): Promise<void> {
  let text: string;
  try {
    text = await readText(file, within);
  } catch (error) {
    const code = getErrorCode(error);
    // If the folder is missing or a file, reading it reports that.
    if (code === 'ENOENT' || code === 'ENOTDIR') return;
    if ((await findEntry(file, within))?.isDirectory() === true)
      throw new InputError(`${file} is a folder. Name a file: --out ${join(file, 'report.html')}`);
    throw new InputError(`${file} cannot be written (${getReason(error)}). Name another file with --out.`);
  }
  if (text.includes(MARK)) return;
  throw new InputError(
    `${file} exists and is not a report, so it was not replaced. Name another file with --out, or delete it.`,
  );
}

async function write(file: string, within: string | undefined, page: string): Promise<void> {
  try {
    await writeAtomically(file, page, within);
  } catch (error) {
    throw new Error(
      `${file} cannot be written (${getReason(error)}). Name a file in a folder that exists and that you may write to: cupid report … --out FILE`,
      { cause: error },
    );
  }
}
