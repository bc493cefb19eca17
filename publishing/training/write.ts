import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { withLicenseOf } from '../../data/card/edit';
import { formatLicenseSentence, UNKNOWN_LICENSE } from '../../data/card/licenses';
import { renderBullets, renderMarkdownTable } from '../../data/card/markdown';
import { DataError } from '../../data/store/data-error';
import { CARD } from '../../data/folders/folder';
import { writeTextPart } from '../../data/store/new-folder';
import type { Columns } from '../../data/tables/columns';
import type { ExportReport, WrittenPart } from '../../schemas/dataset/export';
import { type Split, SPLITS } from '../../schemas/dataset/split';
import { sumFiles, writeShards } from '../export/tables';
import { type Watch, watchRows } from '../watch';
import { buildTextTable } from '../../schemas/text/table';
import { renderTrainingCard } from './card';
import type { RowDescription } from './descriptions';
import type { TrainingPersonas } from './personas';

/** Rows to train on, before they are written. */
export interface TrainingData<Row extends object> {
  /** As it was given. */
  readonly source: string;
  readonly simulated: boolean;
  readonly columns: Columns<Row>;
  readonly description: RowDescription<Row>;
  readonly personas: TrainingPersonas;
  /** Reads the rows of the personas of a split; starts over with each call. */
  readonly rows: (split: Split, signal: AbortSignal | undefined) => AsyncGenerator<Row>;
  /** Advice for data without such rows. */
  readonly remedy: string;
  /** Facts about their origin for the card, a sentence each. */
  readonly facts: readonly string[];
  /** Text of the card of their data set, which names its license; absent if there is none. */
  readonly card?: string;
}

/** Function that writes the rows of open data into a new folder. */
export type WriteTraining = (
  folder: string,
  shardBytes: number,
  watch: Watch,
) => Promise<Omit<ExportReport, 'format' | 'folder'>>;

/**
 * Writes Parquet shards of each split that has rows, and a card.
 * @throws DataError when there are no rows
 */
export async function writeTraining<Row extends object>(
  data: TrainingData<Row>,
  ...[folder, shardBytes, watch]: Parameters<WriteTraining>
): ReturnType<WriteTraining> {
  const { source, simulated, columns, personas } = data;
  const parts: WrittenPart[] = [];
  const splits: { split: Split; path: string }[] = [];
  for (const split of SPLITS) {
    const rows = () => watchRows(data.rows(split, watch.signal), watch);
    const { pattern, files } = await writeShards(folder, split, { columns, rows, simulated }, shardBytes);
    if (sumFiles(files, 'rows') === 0) {
      for (const { path } of files) await rm(join(folder, path));
      continue;
    }
    splits.push({ split, path: pattern });
    parts.push(...files.map(({ path, rows: count, bytes }) => ({ path, files: 1, rows: count, bytes })));
  }
  personas.check(source);
  const samples = parts.reduce((sum, { rows = 0 }) => sum + rows, 0);
  if (samples === 0)
    throw new DataError(`${source} has no rows to train on. ${personas.describe()} ${data.remedy}`);
  parts.push(await writeTextPart(folder, CARD, buildTrainingCard(data, splits)));
  return { source, samples, simulated, parts, notes: [personas.describe()] };
}

function buildTrainingCard<Row extends object>(
  { simulated, description, personas, facts, card = '' }: TrainingData<Row>,
  files: readonly { readonly split: Split; readonly path: string }[],
): string {
  const { title, tag, text, columns } = description;
  const cardText = renderTrainingCard({
    name: `CUPID ${tag}`,
    tag,
    simulated,
    files,
    title,
    body: [
      text,
      renderBullets([...facts, personas.describe()]),
      'Evaluate a model that was trained on these rows only on personas that are not in them.',
      renderMarkdownTable(
        buildTextTable(
          ['Column', 'Content'],
          Object.entries<string>(columns).map(([name, meaning]) => [`\`${name}\``, meaning]),
        ),
      ),
    ],
    license: `${formatLicenseSentence(UNKNOWN_LICENSE)} The terms of the models' providers for the use of their output apply in any case, and may forbid training other models on it.`,
  });
  return withLicenseOf(cardText, card);
}
