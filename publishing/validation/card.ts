import { dirname, relative } from 'node:path/posix';
import { isDeepStrictEqual } from 'node:util';
import { buildFeatures } from '../../data/card/dataset-info';
import type { Card } from '../../data/card/read';
import type { DataSet } from '../../data/sets/data-set';
import { matchPatterns } from '../../data/folders/glob';
import type { KindColumns } from '../../data/sets/kinds';
import type { Problem } from './findings';

/**
 * Lists the points in which a data set's card disagrees with its files. The library `datasets` refuses a data set whose card has other row
 * counts, and caches by the card.
 */
export function validateCard({ dataSet, kind, rows, memoryBytes, simulated }: CheckedData): Problem[] {
  const { card, files } = dataSet;
  if (card === undefined) return [];
  const info = isAbout(card, dataSet) ? card.datasetInfo : undefined;
  const bytes = files.reduce((sum, file) => sum + file.bytes, 0);
  const figures: [string, number | undefined, number | undefined][] = [
    ['num_examples', info?.numExamples, rows],
    // Other tools have their own way to count bytes.
    ...(card.ours
      ? ([
          ['num_bytes', info?.numBytes, memoryBytes],
          ['dataset_size', info?.datasetSize, memoryBytes],
          ['download_size', info?.downloadSize, bytes],
        ] satisfies [string, number | undefined, number | undefined][])
      : []),
  ];
  return [
    ...figures
      .filter(([, cardValue, is]) => cardValue !== undefined && is !== undefined && cardValue !== is)
      .map(([name, cardValue, is]) =>
        createProblem(`dataset_info.${name}`, `expected ${is}, as in the files, found ${cardValue}.`),
      ),
    ...(card.ours &&
    info?.features !== undefined &&
    !isDeepStrictEqual(info.features, buildFeatures(kind.columns))
      ? [createProblem('dataset_info.features', 'these are not the columns of this data set.')]
      : []),
    ...(simulated === true && card.simulated !== true
      ? [
          createProblem(
            'tags',
            'the data is simulated, but the card does not say so. Add the tag "simulated".',
          ),
        ]
      : []),
  ];
}

/** A finished pass over rows of any kind. */
interface CheckedData {
  readonly dataSet: DataSet;
  readonly kind: KindColumns;
  readonly rows: number;
  readonly memoryBytes: number | undefined;
  /** As the run, the provenance, the files or the texts say. */
  readonly simulated: boolean | undefined;
}

/** Returns whether the card lists these files. Others may stand beside them, in another form. */
function isAbout({ testFiles }: Card, { cardName = '', files }: DataSet): boolean {
  if (testFiles === undefined) return true;
  const paths = files.map(({ name }) => relative(dirname(cardName), name));
  const namedFiles = new Set(matchPatterns(cardName, testFiles, paths).flat());
  return paths.every((path) => namedFiles.has(path));
}

function createProblem(field: string, message: string): Problem {
  return { rule: 'card-of-data', field, message: `${message} ${REMEDY}` };
}

const REMEDY = 'Use the card that was written with the data, or fix it.';
