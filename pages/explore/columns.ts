import type { ResultColumn } from './answers';

/** Returns the columns that the address chooses, in its order. */
export function readChosen(
  { columns: text = '' }: Readonly<Record<string, string>>,
  columns: readonly ResultColumn[],
): readonly ResultColumn[] {
  return splitIds(text).flatMap((id) => columns.find((column) => column.id === id) ?? []);
}

/** Returns the ids in the address that no column has. */
export function listUnknown(
  { columns: text = '' }: Readonly<Record<string, string>>,
  columns: readonly ResultColumn[],
): readonly string[] {
  return splitIds(text).filter((id) => columns.every((column) => column.id !== id));
}

/** Returns the value of the address that chooses these columns. */
export function joinIds(columns: readonly Pick<ResultColumn, 'id'>[]): string {
  return columns.map(({ id }) => id).join(SEPARATOR);
}

function splitIds(text: string): readonly string[] {
  return text === '' ? [] : text.split(SEPARATOR);
}

const SEPARATOR = '.';

/** Returns the columns whose scores the list shows: the chosen ones, or else the models in the first setting. */
export function listShown(
  address: Readonly<Record<string, string>>,
  columns: readonly ResultColumn[],
): readonly ResultColumn[] {
  const chosenColumns = readChosen(address, columns);
  const [first] = columns;
  if (chosenColumns.length > 0 || first === undefined) return chosenColumns;
  const { model: _model, number: _number, id: _id, ...setting } = first;
  return columns
    .filter(
      ({ model: _other, number: _at, id: _name, ...settingOfColumn }) =>
        JSON.stringify(settingOfColumn) === JSON.stringify(setting),
    )
    .slice(0, MOST_SHOWN);
}

const MOST_SHOWN = 6;

/**
 * Names a column of results by its model and what distinguishes it from the others, such as `gpt-6.1-terra, inference, context full`.
 * @param columns the columns shown beside it
 */
export function nameColumn(column: ResultColumn, columns: readonly ResultColumn[]): string {
  const description = describeColumn(column);
  const otherDescriptions = columns.map(describeColumn);
  const differing = PARTS.filter((part) =>
    otherDescriptions.some(
      (otherDescription) =>
        (part === 'task' || otherDescription.task === description.task) &&
        otherDescription[part] !== description[part],
    ),
  );
  return [description.model, ...differing.map((part) => description[part])].join(', ');
}

const PARTS = ['task', 'context', 'evaluator', 'folder'] as const;

function describeColumn({ model, task, context, evaluator, decomposer, source }: ResultColumn) {
  const decomposed = decomposer === null || decomposer === evaluator ? '' : `, decomposed by ${decomposer}`;
  return {
    model,
    task,
    context: `context ${context}`,
    evaluator: `by ${evaluator}${decomposed}`,
    folder: source,
  };
}
