import { basename, dirname } from 'node:path';
import type { OutputPlacement } from '../../data/run/place-outputs';
import { formatNames } from '../../schemas/text/value-text';
import { CARD } from '../../data/folders/folder';
import { formatCount, pluralize } from '../../schemas/text/count-text';
import { listPresent } from '../../schemas/text/list-present';
import { getWidth } from './width';

/**
 * Renders a run's outputs: those in place, then why others are not.
 * @param descriptions contents of an output, by path
 * @param formatPath formats a path of the run folder for the user
 * @param remedy instruction that writes the outputs once other files are moved away
 */
export function renderOutputs(
  placement: Pick<OutputPlacement, 'foreignFiles' | 'withheldFiles'>,
  descriptions: Readonly<Record<string, string>>,
  formatPath: (file: string) => string,
  remedy: string,
): string[] {
  const unplaced = new Set([...placement.foreignFiles, ...placement.withheldFiles]);
  return [
    ...Object.entries(descriptions)
      .filter(([path]) => !unplaced.has(path))
      .flatMap(([path, description]) => renderFile(formatPath(path), description)),
    ...renderUnplacedOutputs(placement, formatPath, remedy),
  ];
}

/** Renders a file with its contents, which stand below its path where a line has no room for both. */
export function renderFile(path: string, description: string): string[] {
  const line = `  ${path}  ${description}`;
  return line.length <= getWidth() ? [line] : [`  ${path}`, `    ${description}`];
}

/** Explains outputs that are not in place. An edited card is named only if it blocks other files. */
function renderUnplacedOutputs(
  { foreignFiles, withheldFiles }: Pick<OutputPlacement, 'foreignFiles' | 'withheldFiles'>,
  formatPath: (file: string) => string,
  remedy: string,
): string[] {
  const blocked = new Set(withheldFiles.map((path) => dirname(path)));
  const changedFiles = foreignFiles.filter((path) => basename(path) !== CARD || blocked.has(dirname(path)));
  if (changedFiles.length === 0) return [];
  const outdated = withheldFiles.filter((path) => !foreignFiles.includes(path));
  return listPresent(
    `${formatCount(changedFiles.length, 'file')} ${pluralize(changedFiles.length, 'differs', 'differ')} from what this run wrote and ${pluralize(changedFiles.length, 'was', 'were')} left unchanged: ${formatNames(changedFiles.map(formatPath))}.`,
    outdated.length !== 0 &&
      `${formatCount(outdated.length, 'file')} of the same data ${pluralize(outdated.length, 'was', 'were')} not updated: ${formatNames(outdated.map(formatPath))}.`,
    `To get the files of this run: move yours away, then ${remedy}`,
  );
}
