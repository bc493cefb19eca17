import { formatNames } from '../../schemas/text/value-text';
import { listRepeatedColumns } from '../../data/readers/repeated-columns';
import type { ColumnForm, FileColumn } from '../../data/readers/row';
import type { Problem } from './findings';

/**
 * Lists the differences between a file's columns and the expected ones: names, order and types, with the fields of structs.
 * @param expected the columns of the data set's kind
 */
export function validateColumns(expected: readonly FileColumn[], actual: readonly FileColumn[]): Problem[] {
  const names = expected.map(({ name }) => name);
  return [
    ...validateFields(expected, actual, ''),
    ...listRepeatedColumns(actual.filter(({ name }) => names.includes(name))).map(createRepeatedProblem),
  ];
}

/** Returns whether a field of a row is, or is within, one of these columns: `a[2].b` is in `a[].b`. */
export function isWithin(field: string, columns: readonly string[]): boolean {
  const plainField = field.replaceAll(/\[\d+\]/g, '[]');
  return columns.some(
    (column) =>
      plainField === column || plainField.startsWith(`${column}.`) || plainField.startsWith(`${column}[`),
  );
}

/** Checks the order of names. Returns undefined when it is as expected. */
export function validateOrder(
  expected: readonly string[],
  actual: readonly string[],
  path: string,
): Problem | undefined {
  const order = actual.filter((name) => expected.includes(name));
  const right = expected.filter((name) => actual.includes(name));
  if (order.join('\n') === right.join('\n')) return undefined;
  return {
    rule: 'column-order',
    ...(path !== '' && { field: path }),
    message: `expected the order ${right.join(', ')}, found ${order.join(', ')}. Write them in CUPID's order.`,
  };
}

/** Builds the problem of a column that CUPID does not have. Other people's data may have such columns, and readers leave them out. */
export function createUnknownColumnProblem(name: string, expected: readonly string[], path: string): Problem {
  return {
    rule: 'unknown-column',
    field: formatFieldPath(path, name),
    message: `CUPID has no such ${path === '' ? 'column' : 'field'}; it has ${expected.join(', ')}. Leave it out.`,
    known: true,
  };
}

/** Formats a path such as `prior_interactions[].dialogue[].role`. */
export function formatFieldPath(path: string, name: string): string {
  return path === '' ? name : `${path}.${name}`;
}

function validateFields(
  expected: readonly FileColumn[],
  actual: readonly FileColumn[],
  path: string,
): Problem[] {
  const names = expected.map(({ name }) => name);
  const actualNames = [...new Set(actual.map(({ name }) => name))];
  const order = validateOrder(names, actualNames, path);
  return [
    ...expected.flatMap(({ name, form }) => {
      const column = actual.find((candidate) => candidate.name === name);
      const field = formatFieldPath(path, name);
      return column === undefined
        ? [createMissingProblem(field, actualNames)]
        : validateForm(form, column.form, field);
    }),
    ...actualNames
      .filter((name) => !names.includes(name))
      .map((name) => createUnknownColumnProblem(name, names, path)),
    ...(order === undefined ? [] : [order]),
  ];
}

function createMissingProblem(field: string, actualNames: readonly string[]): Problem {
  return {
    rule: 'missing-column',
    field,
    message: `is missing; found ${actualNames.length === 0 ? 'none' : formatNames(actualNames)}. Add it, or rename the one that contains it.`,
  };
}

function createRepeatedProblem(field: string): Problem {
  return {
    rule: 'repeated-column',
    field,
    message: 'is there more than once. Keep one of this name, and remove or rename the others.',
  };
}

function validateForm(expected: ColumnForm, actual: ColumnForm, field: string): Problem[] {
  if (actual.kind === 'nothing') return [];
  if (expected.kind === 'list' && actual.kind === 'list')
    return validateForm(expected.of, actual.of, `${field}[]`);
  if (expected.kind === 'struct' && actual.kind === 'struct')
    return validateFields(expected.fields, actual.fields, field);
  if (expected.kind === actual.kind) return [];
  return [
    {
      rule: 'column-type',
      field,
      message: `expected ${formatForms(expected)}, found ${formatForms(actual)}. Write the column again with CUPID's type.`,
    },
  ];
}

function formatForms(form: ColumnForm): string {
  if (form.kind === 'list') return `lists of ${formatForms(form.of)}`;
  if (form.kind === 'struct') return `objects with ${form.fields.map(({ name }) => name).join(', ')}`;
  return form.kind === 'other' ? `the type ${form.name}` : `${form.kind}s`;
}
