import type { Instance } from '../../schemas/instance';
import { arrowRows } from './arrow-rows';
import { checkRow, INSTANCE_FIELDS } from './check';
import type { DataFile, DataSet } from './data-set';
import { DataError } from './error';
import { formatOf } from './formats';
import { type BadLine, jsonLines } from './json-lines';
import { instanceKey } from './key';
import { parquetRows } from './parquet-rows';
import type { Row } from './row';

/**
 * The instances of a data set, in order, each checked; memory holds one row group, batch or line at a time.
 * From the first problem on no further instance is given, but all rows are checked, and the end is the error: only who
 * reads to the end knows that the data set is sound.
 * @throws DataError that tells the first 20 problems, each with file, row (from 1) and field, and how many more there are.
 */
export async function* readInstances(dataSet: DataSet): AsyncGenerator<Instance> {
  const problems = new Problems();
  const keys = new Map<string, string>();
  for (const file of dataSet.files) {
    const word = formatOf(file.name) === 'json-lines' ? 'line' : 'row';
    try {
      for await (const row of rowsOf(file)) {
        const place = `${file.name}, ${word} ${row.number}`;
        const instance = soundInstance(row, place, keys, problems);
        if (instance !== undefined && problems.count === 0) yield instance;
      }
    } catch (error) {
      if (!(error instanceof DataError)) throw error;
      // Of a file that breaks off, the rows before may have problems as well, and so may the files after it.
      problems.addFile(error.message);
    }
  }
  if (keys.size === 0 && problems.count === 0) {
    throw new DataError(
      `${dataSet.files.map((file) => file.name).join(', ')}: no rows. Choose a data set that has instances.`,
    );
  }
  problems.throwIfAny(dataSet);
}

function rowsOf(file: DataFile): AsyncGenerator<Row | BadLine> {
  const format = formatOf(file.name);
  if (format === 'json-lines') return jsonLines(file);
  return format === 'arrow' ? arrowRows(file, INSTANCE_FIELDS) : parquetRows(file, INSTANCE_FIELDS);
}

/** The row's instance; undefined when it has problems, which are then added. */
function soundInstance(
  row: Row | BadLine,
  place: string,
  keys: Map<string, string>,
  problems: Problems,
): Instance | undefined {
  if ('problem' in row) {
    problems.addRow(`${place}: ${row.problem}`);
    return undefined;
  }
  const checked = checkRow(row.value);
  if ('problems' in checked) {
    for (const problem of checked.problems) problems.addRow(`${place}, ${problem}`);
    return undefined;
  }
  const { persona_id: persona, instance_type: type } = checked.instance;
  const key = instanceKey(persona, type);
  const earlier = keys.get(key);
  if (earlier !== undefined) {
    problems.addRow(
      `${place}, fields persona_id and instance_type: "${persona}" and "${type}" already stand together in ${earlier}. ` +
        'They are the key of a row: leave one of the two out, or give it another persona_id.',
    );
    return undefined;
  }
  keys.set(key, place);
  return checked.instance;
}

class Problems {
  count = 0;
  readonly #told: string[] = [];

  #rows = 0;

  /** Of a file as a whole; it says itself how it is mended. */
  addFile(problem: string): void {
    this.count += 1;
    if (this.#told.length < MOST_TOLD) this.#told.push(problem);
  }

  addRow(problem: string): void {
    this.addFile(problem);
    this.#rows += 1;
  }

  throwIfAny(dataSet: DataSet): void {
    if (this.count === 0) return;
    const more = this.count - this.#told.length;
    const mend =
      dataSet.commit === undefined
        ? 'Mend the file or leave such rows out.'
        : 'Use another revision of the data set, or download it and use a mended copy.';
    const lines = [
      ...this.#told,
      ...(more > 0 ? [`and ${more} more problems like these.`] : []),
      ...(this.#rows > 0 ? [mend] : []),
    ];
    throw new DataError(lines.join('\n'));
  }
}

const MOST_TOLD = 20;
