import { formatCount } from '../../schemas/text/count-text';
import type { Instance } from '../../schemas/dataset/instance';
import type { RecordForm } from '../../schemas/dataset/record';
import type { DataSet } from './data-set';
import { DataError } from '../store/data-error';
import type { BadLine } from '../readers/json-lines';
import { type RowKey, Keys } from './keys';
import { INSTANCES, type Kind, listRequiredColumns, RECORDS } from './kinds';
import type { Row } from '../readers/row';
import type { RowProblem } from './row-form';
import { readFileRows, getRowWord } from '../readers/rows';

/**
 * Reads the instances of a data set in order and checks each. Memory holds one row group, batch or line at a time. After the first problem,
 * no further instance is returned. All rows are still checked, and the end is the error, so only a complete reading shows that the data set
 * is sound.
 * @throws DataError that lists the first 20 problems, each with file, row (from 1) and field, and how many more there are.
 */
export function readInstances(dataSet: DataSet): AsyncGenerator<Instance> {
  return readRows(dataSet, INSTANCES);
}

export function readRecords(dataSet: DataSet): AsyncGenerator<RecordForm> {
  return readRows(dataSet, RECORDS);
}

async function* readRows<Content extends RowKey>(
  dataSet: DataSet,
  kind: Kind<Content>,
): AsyncGenerator<Content> {
  const problems = new ProblemList();
  const keys = new Keys();
  for (const file of dataSet.files) {
    try {
      for await (const row of readFileRows(file, listRequiredColumns(kind))) {
        const place = `${file.name}, ${getRowWord(file)} ${row.number}`;
        const content = requireSoundRow(row, place, kind, keys, problems);
        if (content !== undefined && problems.count === 0) yield content;
      }
    } catch (error) {
      if (!(error instanceof DataError)) throw error;
      // The rows before a break in a file may have problems as well, and so may later files.
      problems.addFile(error.message);
    }
  }
  if (keys.count === 0 && problems.count === 0) {
    throw new DataError(
      `${dataSet.files.map((file) => file.name).join(', ')}: no rows. Choose a data set that has ${kind.name}.`,
    );
  }
  problems.throwIfAny(dataSet);
}

function requireSoundRow<Content extends RowKey>(
  row: Row | BadLine,
  place: string,
  kind: Kind<Content>,
  keys: Keys,
  problems: ProblemList,
): Content | undefined {
  if ('problem' in row) {
    problems.addRow(`${place}: ${row.problem}`);
    return undefined;
  }
  const checked = kind.check(row.value);
  const rowProblems = 'problems' in checked ? checked.problems : twice(checked.row);
  for (const problem of rowProblems) problems.addRow(`${place}, ${formatProblem(problem)}`);
  return 'row' in checked && rowProblems.length === 0 ? checked.row : undefined;

  function twice(key: RowKey): RowProblem[] {
    const problem = keys.add(key, place);
    return problem === undefined ? [] : [problem];
  }
}

function formatProblem({ field, message }: RowProblem): string {
  if (field === undefined) return message;
  return `${field.includes(' and ') ? 'fields' : 'field'} ${field}: ${message}`;
}

class ProblemList {
  count = 0;
  readonly #listed: string[] = [];

  #rows = 0;

  /** Adds a problem of a whole file, which includes its remedy. */
  addFile(problem: string): void {
    this.count += 1;
    if (this.#listed.length < MOST_LISTED) this.#listed.push(problem);
  }

  addRow(problem: string): void {
    this.addFile(problem);
    this.#rows += 1;
  }

  throwIfAny(dataSet: DataSet): void {
    if (this.count === 0) return;
    const unlistedCount = this.count - this.#listed.length;
    const remedy =
      dataSet.commit === undefined
        ? 'Fix the file or leave such rows out.'
        : 'Use another revision of the data set, or download it and fix the copy.';
    const lines = [
      ...this.#listed,
      ...(unlistedCount > 0 ? [`and ${formatCount(unlistedCount, 'more problem')} like these.`] : []),
      ...(this.#rows > 0 ? [remedy] : []),
    ];
    throw new DataError(lines.join('\n'));
  }
}

const MOST_LISTED = 20;
