import { listOptions, type ChoiceOption } from '../choice/options';
import type { Trial } from './evaluation-work';
import type { VerifiedInstance } from './verification-questions';
import type { TrialSubject } from './evaluation-reader';

/** Rows of an evaluated data set. */
interface EvaluatedRows<Row> {
  readonly inputs: { readonly settings: { readonly seed: number } };
  /** Returns a row, from 1. */
  instance(number: number): Promise<Row>;
  /** Returns every row of the persona of a row. */
  persona(number: number): Promise<readonly Row[]>;
}

/** Reads the subject of a trial, with the options if one of its cells is a choice. */
export async function readTrialSubject<Row extends VerifiedInstance>(
  rows: EvaluatedRows<Row>,
  { instance, cells }: Pick<Trial, 'instance' | 'cells'>,
): Promise<Row & TrialSubject> {
  const row = await rows.instance(instance);
  const isChoice = cells.some(({ task }) => task === 'choice');
  return isChoice ? { ...row, options: await readOptions(rows, instance) } : row;
}

/** Reads the options of a choice in a row, which depend on all rows of its persona. */
export async function readOptions(
  { inputs, persona }: Omit<EvaluatedRows<VerifiedInstance>, 'instance'>,
  row: number,
): Promise<ChoiceOption[]> {
  const rows = await persona(row);
  return listOptions(
    rows.map(({ instance }) => instance),
    inputs.settings.seed,
  );
}
