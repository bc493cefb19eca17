import { basename, dirname, extname } from 'node:path/posix';
import { formatCount, formatNumber, pluralize } from '../../schemas/text/count-text';
import type { Card } from '../card/read';
import { DataError } from '../store/data-error';
import { formatNames } from '../../schemas/text/value-text';
import { FORMATS, findFormat, READABLE } from '../readers/formats';
import { isWild, matchPatterns } from './glob';

/** Files with the instances. */
export interface Choice {
  /** In the order of their rows. */
  readonly files: readonly string[];
  /** True if no further file could change the choice: the card names them, or they are `test.parquet`, or a complete set of shards named `test`. */
  readonly certain: boolean;
}

/** Name of the table with the origin of each instance; never instances itself. */
export const PROVENANCE = 'provenance.parquet';

/** Path of the instances in a run's folder. */
export const RUN_OUTPUT = 'CUPID-Unverified/test.parquet';

/** Files that were made of a data set: their names, what they are, and the command that wrote them. */
const DERIVED = [
  [['results.json', 'results.parquet'], 'the results of an evaluation', 'eval'],
  [['verification.json', 'verification.parquet'], 'a verification', 'verify'],
  [['sessions.jsonl', 'labels.jsonl'], 'sessions for memory systems', 'export'],
] as const;

/**
 * Chooses a folder's or repository's files (paths with `/`) with the instances. The first match wins:
 * 1. `CUPID-Unverified/test.parquet`: the folder is a run's;
 * 2. the files that the card names for the `test` split of its default config;
 * 3. `test.parquet`, or the only file or set of shards named `test`: of Parquet, else of JSON lines, Arrow or JSON. Beside files of another of these
 *    formats, the name counts in the root folder only;
 * 4. the only file or set of shards of any name: of Parquet, else of JSON lines or Arrow.
 *    Shards are `NAME-00000-of-00003`, parts of Spark or, in a folder below, `NAME-0`, `NAME-1`, …; they are taken in order.
 *    In the root folder, numbers are shards when there is nothing else and none from 0 on is missing.
 * @throws DataError when there is nothing to read but what was made of a data set, a shard is missing, or the choice is ambiguous
 */
export function chooseFiles(where: string, names: readonly string[], card: Card | undefined): Choice {
  if (names.includes(RUN_OUTPUT)) return { files: [RUN_OUTPUT], certain: true };
  for (const [files, contents, command] of DERIVED) {
    if (files.every((name) => names.includes(name))) {
      throw new DataError(
        `${where} contains ${contents}, not a data set. Name the data that you gave to cupid ${command}.`,
      );
    }
  }
  if (card?.testFiles !== undefined && !card.testFiles.some(isOfReference))
    return chooseNamedByCard(where, names, card.testFiles);
  const candidates = FORMATS.map((format) =>
    names.filter((name) => findFormat(name) === format && mayBeData(name)),
  ).filter((ofFormat) => ofFormat.length > 0);
  const chosen =
    candidates.find((ofFormat, at) => ofFormat.some((name) => isTest(name) && (at === 0 || isRoot(name)))) ??
    candidates[0];
  if (chosen !== undefined) return chooseAmong(where, chosen);
  if (names.some(isOfReference)) {
    throw new DataError(
      `${where} has files of the reference program. Convert them first: cupid import FOLDER --output-dir DIR`,
    );
  }
  throw new DataError(
    `${where} contains no data set: no ${READABLE} file` +
      (names.length === 0 ? '; it is empty. ' : `, only ${formatNames(names)}. `) +
      'Name a file, a folder with one, or the folder of a run that cupid synth has finished.',
  );
}

function chooseNamedByCard(where: string, names: readonly string[], patterns: readonly string[]): Choice {
  const readable = names.filter((name) => findFormat(name) !== undefined);
  const files = matchPatterns(`${where}, README.md`, patterns, readable).flatMap((matches) =>
    matches.toSorted(compareNumbers),
  );
  if (files.length === 0) {
    throw new DataError(
      `${where}: its README.md says that the test split is ${formatNames(patterns)}, but there is no such file (${READABLE}). ` +
        'Add the files, fix "configs" in README.md, or name the file itself.',
    );
  }
  const complete = requireAllShards(where, files);
  return {
    files: [...new Set(files)],
    certain: complete || !patterns.some(isWild),
  };
}

function chooseAmong(where: string, names: readonly string[]): Choice {
  const byName = new Map<string, string[]>();
  for (const name of names.toSorted(compareNumbers)) {
    const set = nameOfSet(name);
    // A file without a number is no shard.
    const key = set === removeExtension(name) ? name : set;
    byName.set(key, [...(byName.get(key) ?? []), name]);
  }
  const sets = isNumberedFromZero(names) ? [names.toSorted(compareNumbers)] : [...byName.values()];
  const tests = sets.filter(([name = '']) => isTest(name));
  // In the root folder, a file of that name takes precedence over folders with shards.
  const roots = tests.filter(([name = '']) => isRoot(name));
  const [files, ...otherSets] = [roots, tests, sets].find((candidates) => candidates.length > 0) ?? [];
  if (files === undefined || otherSets.length > 0 || new Set(files.map((name) => extname(name))).size > 1) {
    throw new DataError(
      `${where} could mean any of ${formatNames(names)}. Name the file itself, or name it test${extname(names[0] ?? '')}. ` +
        `If several files are one data set, add a README.md whose "configs" names them for the test split.`,
    );
  }
  const complete = requireAllShards(where, files);
  return { files, certain: (complete && files.some(isTest)) || files[0] === 'test.parquet' };
}

/** Returns whether a file, or a pattern of a card, is of the reference program's layout. */
function isOfReference(name: string): boolean {
  return name === 'personas.json' || name.startsWith('instances/');
}

/** Returns whether a file could hold a data set, by its path in a folder. Much else is stored as JSON. */
export function mayBeData(name: string): boolean {
  const format = findFormat(name);
  if (format === undefined || basename(name) === PROVENANCE) return false;
  return format !== 'json' || isTest(name);
}

function isRoot(name: string): boolean {
  return dirname(name) === '.';
}

function isTest(name: string): boolean {
  return /(^|\/)test(\/|$)/.test(nameOfSet(name));
}

/** Returns the common name of a set of shards: `data/test` for `data/test-00001-of-00002.parquet`. */
function nameOfSet(name: string): string {
  const stem = removeExtension(name);
  const numbered = stem.replace(SHARD, '').replace(SPARK_PART, '$1');
  return numbered !== stem || isRoot(name) ? numbered : stem.replace(NUMBER, '');
}

/** Returns whether the root folder has nothing but files with all numbers from 0, as DuckDB writes them. */
function isNumberedFromZero(names: readonly string[]): boolean {
  const stems = names.filter(isRoot).map(removeExtension);
  const bases = new Set(stems.map((stem) => stem.replace(NUMBER, '')));
  const numbers = stems.map((stem) => Number(/\d+$/.exec(stem)?.[0])).toSorted((a, b) => a - b);
  const areAll = numbers.every((number, at) => number === at);
  return stems.length === names.length && bases.size === 1 && areAll;
}

function removeExtension(name: string): string {
  return name.slice(0, name.length - extname(name).length);
}

// The Hub's own conversion has nothing but numbers: `default/test/0000.parquet`.
const NUMBER = /(?:^|[-_./])\d+$/;

// Each part of Spark has the id of its write, and its compression: `part-00000-ID-c000.snappy`.
const SPARK_PART = /((?:^|\/)part)-\d+-.+[-.]c\d+(?:\.\w+)?$/;

// `datasets` once appended a hash to the numbers.
const SHARD = /[-_.](\d+)-of-(\d+)(?:-[0-9a-f]+)?$/;

/** Returns whether the names state the number of files; rejects a set that is not complete. */
function requireAllShards(where: string, files: readonly string[]): boolean {
  const numbers = files.map((name) => {
    const [, part, total] = SHARD.exec(removeExtension(name)) ?? [];
    return part === undefined ? [] : [Number(part), Number(total)];
  });
  const [, count] = numbers[0] ?? [];
  if (count === undefined || numbers.some(([, total]) => total !== count)) return false;
  // A name may claim any count, so only the present numbers are searched.
  const present = new Set(numbers.map(([part]) => part));
  const missing = count - present.size;
  if (missing > 0) {
    let first = 0;
    while (present.has(first)) first += 1;
    throw new DataError(
      `${where}: ${formatNumber(missing)} of the ${formatCount(count, 'part')} of ${nameOfSet(files[0] ?? '')} ${pluralize(missing, 'is', 'are')} missing, the first is part ${first} ` +
        '(parts are counted from 0). Download or copy all of them.',
    );
  }
  return true;
}

function compareNumbers(a: string, b: string): number {
  return collator.compare(a, b);
}

// Part 10 comes after part 9, whether or not numbers are padded.
const collator = new Intl.Collator('en', { numeric: true });
