import { importData as read } from '../../publishing/import';
import { formatCount, formatFirst } from '../../schemas/text/count-text';
import { listPresent } from '../../schemas/text/list-present';
import type { ImportReport } from '../../schemas/dataset/export';
import { quotePath } from '../../schemas/text/shell-text';
import { formatPublishCommand, makeFolder, renderParts } from './make-folder';

interface ImportOptions {
  readonly outputDir: string;
  readonly license?: string;
  readonly json?: true;
}

/** Runs 'cupid import': converts the reference program's files to data sets. Returns the exit code. */
export async function importData(folder: string, options: ImportOptions): Promise<number> {
  return makeFolder(
    `Importing ${folder}`,
    (surroundings) => read(folder, options, surroundings),
    importLines,
    options,
  );
}

function importLines({
  records,
  instances,
  source,
  folder,
  personasWithoutData,
  simulated,
  license,
  parts,
  notes,
}: ImportReport): string[] {
  const contents = listPresent(
    instances !== undefined && formatCount(instances, 'instance'),
    records !== undefined && formatCount(records, 'record'),
  );
  return listPresent(
    `Imported ${contents.join(' and ')} from ${source} to ${folder}, under ${license}:`,
    ...renderParts(parts),
    personasWithoutData.length !== 0 &&
      `${formatCount(personasWithoutData.length, 'persona')} left out, because the reference program wrote no data file for ` +
        `${personasWithoutData.length === 1 ? 'it' : 'them'} (${formatFirst(personasWithoutData, MOST_NAMED)}).`,
    ...notes,
    `Validate: cupid validate ${quotePath(folder)}`,
    ...(instances === undefined
      ? []
      : [
          `Evaluate: cupid eval --data ${quotePath(folder)} --results-dir DIR --model SPEC --evaluator SPEC`,
          `Publish: ${formatPublishCommand(`${folder}/CUPID-Unverified`, simulated)}`,
        ]),
  );
}

const MOST_NAMED = 8;
