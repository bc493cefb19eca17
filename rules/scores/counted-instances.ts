import { buildInstanceKey, type InstanceType } from '../../schemas/dataset/instance-type';
import type { ScoreRow } from '../../schemas/evaluation/evaluation';
import { compareInstances, type TypedInstanceKey } from './order';
import type { ChoiceSums, GenerationSums, InferenceSums } from './sums';

/** An instance that has a score, with its contribution to the sums. */
export interface CountedSums<Sums> extends TypedInstanceKey {
  sums: Sums;
}

/**
 * Returns the instances of one inference cell that count, in the order of their keys: scored ones, and those whose history was too long.
 * @throws Error that names the row and the column when a number that the state requires is empty.
 */
export function listCountedInference(rows: readonly ScoreRow[]): CountedSums<InferenceSums>[] {
  return listCounted(rows, (row) => ({
    n_predicted: getNumber(row, 'n_predicted'),
    n_predicted_matched: getNumber(row, 'n_predicted_matched'),
    n_true: getNumber(row, 'n_true'),
    n_true_matched: getNumber(row, 'n_true_matched'),
    n_instances: 1,
    precision: getNumber(row, 'precision'),
    recall: getNumber(row, 'recall'),
    f1: getNumber(row, 'f1'),
  }));
}

/**
 * Returns the instances of one generation cell that count, as for inference.
 * @throws Error that names the row and the column, as for inference.
 */
export function listCountedGeneration(rows: readonly ScoreRow[]): CountedSums<GenerationSums>[] {
  return listCounted(rows, (row) => ({ n_instances: 1, score: getNumber(row, 'score') }));
}

/**
 * Returns the instances of one choice cell that count, as for inference. The changing row also stands for the pair that it forms with the
 * consistent one, if both count and their right options differ.
 * @throws Error that names the row and the column, as for inference.
 */
export function listCountedChoice(rows: readonly ScoreRow[]): CountedSums<ChoiceSums>[] {
  const byKey = new Map(rows.filter(isCounted).map((row) => [buildInstanceKey(row), row]));
  return listCounted(rows, (row) => {
    const { persona_id, instance_type, choice } = row;
    const find = (type: InstanceType) => byKey.get(buildInstanceKey({ persona_id, instance_type: type }));
    const consistent = instance_type === 'changing' ? find('consistent') : undefined;
    const isPair = consistent !== undefined && consistent.true_option !== row.true_option;
    const pair = isPair ? [consistent, row] : [];
    const contrastive = isPair ? find('contrastive') : undefined;
    const triple = contrastive === undefined ? [] : [...pair, contrastive];
    return {
      n_instances: 1,
      right: choice === 'right' ? 1 : 0,
      chance: 1 / getNumber(row, 'n_options'),
      stale: choice === 'stale' ? 1 : 0,
      wrong_context: choice === 'wrong-context' ? 1 : 0,
      other: choice === 'other' ? 1 : 0,
      n_pairs: Math.sign(pair.length),
      right_pairs: areRight(pair) ? 1 : 0,
      pair_chance: isPair ? 1 / (getNumber(consistent, 'n_options') * getNumber(row, 'n_options')) : 0,
      n_triples: Math.sign(triple.length),
      right_triples: areRight(triple) ? 1 : 0,
    };
  });
}

function areRight(rows: readonly ScoreRow[]): boolean {
  return rows.length > 0 && rows.every(({ choice }) => choice === 'right');
}

function listCounted<Sums>(rows: readonly ScoreRow[], sumsOf: (row: ScoreRow) => Sums): CountedSums<Sums>[] {
  return rows
    .filter(isCounted)
    .toSorted(compareInstances)
    .map((row) => ({ persona_id: row.persona_id, instance_type: row.instance_type, sums: sumsOf(row) }));
}

/** Returns true for a row that counts in averages; missing and open ones do not. */
export function isCounted({ state }: ScoreRow): boolean {
  return state === 'scored' || state === 'context-length';
}

type NumberColumn = Exclude<keyof InferenceSums, 'n_instances'> | 'score' | 'n_options';

/** Returns the number in a required column of a row. @throws TypeError that names the row and the column when it is empty. */
export function getNumber(row: ScoreRow, column: NumberColumn): number {
  const number = row[column];
  if (number !== null) return number;
  const state = row.state === 'missing' ? `missing at ${row.missing_step ?? 'no step'}` : row.state;
  throw new TypeError(
    `results, row of persona_id ${row.persona_id}, instance_type ${row.instance_type} (${row.task}, ${row.model}, ` +
      `context ${row.context}, evaluated by ${row.evaluator}): its state is "${state}", so ${column} must be a number, but it is empty.`,
  );
}
