import { stringify } from 'yaml';
import { DataError } from '../../data/store/data-error';
import { writeTextPart } from '../../data/store/new-folder';
import type { ExportReport, WrittenPart } from '../../schemas/dataset/export';
import { formatCount } from '../../schemas/text/count-text';
import { buildModelId } from './model-identity';
import type { ResultCell } from '../../schemas/evaluation/results';
import { findHubData, type ExportedResults } from './results';

/**
 * Writes for the repository of each model a file of its result on the benchmark: the accuracy of its choices with context full, in percent.
 * Generation has no file, because its score depends on the judge.
 * @throws DataError when the evaluated data are not on the Hub, or no model has chosen in all instances
 */
export async function writeEvalResults(
  folder: string,
  results: ExportedResults,
): Promise<Pick<ExportReport, 'scores' | 'parts' | 'notes'>> {
  const { data, cells, writtenAt } = results;
  const hub = findHubData(data);
  if (hub === undefined) {
    throw new DataError(
      `A model's repository names the data set on the Hub, but ${data.source} was evaluated. Evaluate the published data: cupid eval --data OWNER/NAME --task choice --model SPEC --results-dir DIR`,
    );
  }
  const parts: WrittenPart[] = [];
  const notes: string[] = [];
  for (const cell of cells.filter(({ task, context }) => task === 'choice' && context === 'full')) {
    const value = findAccuracy(cell, data.instances);
    if (value === undefined) {
      notes.push(
        `Left out: ${cell.model}, which has not chosen in each of the ${formatCount(data.instances, 'instance')}. Repeat its cupid eval command for all instances; cupid retry asks again where an answer is missing.`,
      );
      continue;
    }
    notes.push(...listSharedNotes(cell));
    const path = `${buildModelId(cell.model)}/.eval_results/cupid-choice.yaml`;
    const text = stringify([
      {
        dataset: { id: hub.dataSet, task_id: 'choice', revision: hub.revision },
        value,
        date: writtenAt.toISOString().slice(0, 10),
      },
    ]);
    parts.push(await writeTextPart(folder, path, text));
  }
  if (parts.length > 0) return { scores: parts.length, parts, notes };
  throw new DataError(
    `No model has chosen with context full in all instances of ${hub.dataSet}. Run cupid eval --task choice. ${notes.join(' ')}`.trim(),
  );
}

/** Says that a result is of several models: the Hub's file has no field for it. */
function listSharedNotes({ shared_names: names = [] }: ResultCell): string[] {
  return names.map(
    ({ name, answered_by }) =>
      `${name}: answers came from several models, ${answered_by.map(({ model }) => model).join(', ')}. The file has no field for this, so say so in the pull request.`,
  );
}

/** Returns the accuracy in percent; undefined if an instance with options has no choice. */
function findAccuracy({ all: { choice, counts } }: ResultCell, instances: number): number | undefined {
  const withoutOptions = counts.missing_counts.find(({ kind }) => kind === 'no-options')?.count ?? 0;
  const accuracy = choice?.accuracy ?? undefined;
  if (accuracy === undefined || choice?.n_instances !== instances - withoutOptions) return undefined;
  return Math.round(accuracy * 10_000) / 100;
}
