import { findFormat } from '../../data/readers/formats';
import type { DataSet } from '../../data/sets/data-set';
import type { NamedFile } from '../../data/store/named-file';
import { readMarks } from '../../data/sets/open';
import { formatNames } from '../../schemas/text/value-text';
import type { Problem } from './findings';
import { quotePath } from '../../schemas/text/shell-text';

/** A file of a data set that can state a canary, and which it states. */
interface CanaryPlace {
  readonly file: string;
  readonly canary: string | undefined;
}

/** Lists where a data set can state its canary: card, files and their copies in other formats. JSON can only with a manifest beside it. */
export async function listCanaries(
  { card, cardName, files }: DataSet,
  copies: readonly NamedFile[],
): Promise<CanaryPlace[]> {
  const places = cardName === undefined ? [] : [{ file: cardName, canary: card?.canary }];
  for (const file of [...files, ...copies]) {
    // Other checks report a damaged file.
    const marks = await readMarks(file).catch(() => undefined);
    const isJson = ['json', 'json-lines'].includes(findFormat(file.name) ?? '');
    if (marks === undefined || (isJson && marks.canary === undefined)) continue;
    places.push({ file: file.name, canary: marks.canary });
  }
  return places;
}

/**
 * Lists the places with another canary than expected. If this program wrote the data, a further problem lists the places without one.
 * @param expected the one that the data sets of a run state; undefined if they state none, but a copy may
 */
export function validateCanaries(
  places: readonly CanaryPlace[],
  {
    ours,
    expected: statedCanary,
    argument,
  }: { readonly ours: boolean; readonly expected: string | undefined; readonly argument: string },
): (Problem & { readonly file: string })[] {
  const expected = statedCanary ?? places.find(({ canary }) => canary !== undefined)?.canary;
  const foreignPlaces = places.filter(({ canary }) => canary !== undefined && canary !== expected);
  const unmarkedFiles = places.filter(({ canary }) => canary === undefined).map(({ file }) => file);
  const [first] = ours ? unmarkedFiles : [];
  return [
    ...foreignPlaces.map(({ file, canary }) => ({
      file,
      rule: 'same-canary' as const,
      message: `expected the canary ${expected}, as elsewhere in the data, found ${canary}. Use the files that were written together.`,
    })),
    ...(first === undefined
      ? []
      : [
          {
            file: first,
            rule: 'no-canary' as const,
            message: describeMissing(argument, unmarkedFiles, expected),
          },
        ]),
  ];
}

function describeMissing(argument: string, files: readonly string[], expected: string | undefined): string {
  const remedy =
    expected === undefined
      ? 'To give it one, delete .cupid/datasets in the run folder and repeat its cupid synth command, which calls no model; then export or publish the data again.'
      : `The data has ${expected}. Write it into all files: cupid export ${quotePath(argument)} --output-dir DIR`;
  return `no canary, by which the data can be found in training data, in ${formatNames(files)}. ${remedy}`;
}
