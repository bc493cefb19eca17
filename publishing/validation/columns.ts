import { formatNames } from '../../schemas/text/value-text';
import type { ColumnForm, FileColumn } from '../../data/readers/row';
import type { Problem } from './findings';

/**
 * Lists the differences between a file's columns and the expected ones: names, order and types, with the fields of structs.
 * @param expected the columns of the data set's kind
 */
export function validateColumns(expected: readonly FileColumn[], found: readonly FileColumn[]): Problem[] {
  return validateFields(expected, found, '');
}

/** Returns whether a field of a row is, or is within, one of these columns: `a[2].b` is in `a[].b`. */
export function isWithin(field: string, columns: readonly string[]): boolean {
  const bare = field.replaceAll(/\[\d+\]/g, '[]');
  return columns.some(
    (column) => bare === column || bare.startsWith(`${column}.`) || bare.startsWith(`${column}[`),
  );
}

/** Checks the order of names. Returns undefined when it is as expected. */
export function validateOrder(
  expected: readonly string[],
  found: readonly string[],
  path: string,
): Problem | undefined {
  const order = found.filter((name) => expected.includes(name));
  const right = expected.filter((name) => found.includes(name));
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
  found: readonly FileColumn[],
  path: string,
): Problem[] {
  const names = expected.map(({ name }) => name);
  const present = found.map(({ name }) => name);
  const order = validateOrder(names, present, path);
  return [
    ...expected.flatMap(({ name, form }) => {
      const column = found.find((one) => one.name === name);
      const field = formatFieldPath(path, name);
      return column === undefined
        ? [createMissingProblem(field, present)]
        : validateForm(form, column.form, field);
    }),
    ...present
      .filter((name) => !names.includes(name))
      .map((name) => createUnknownColumnProblem(name, names, path)),
    ...(order === undefined ? [] : [order]),
  ];
}

function createMissingProblem(field: string, present: readonly string[]): Problem {
  return {
    rule: 'missing-column',
    field,
    message: `is missing; found ${present.length === 0 ? 'none' : formatNames(present)}. Add it, or rename the one that contains it.`,
  };
}

function validateForm(expected: ColumnForm, found: ColumnForm, field: string): Problem[] {
  if (found.kind === 'nothing') return [];
  if (expected.kind === 'list' && found.kind === 'list')
    return validateForm(expected.of, found.of, `${field}[]`);
  if (expected.kind === 'struct' && found.kind === 'struct')
    return validateFields(expected.fields, found.fields, field);
  if (expected.kind === found.kind) return [];
  return [
    {
      rule: 'column-type',
      field,
      message: `expected ${formatForms(expected)}, found ${formatForms(found)}. Write the column again with CUPID's type.`,
    },
  ];
}

function formatForms(form: ColumnForm): string {
  if (form.kind === 'list') return `lists of ${formatForms(form.of)}`;
  if (form.kind === 'struct') return `objects with ${form.fields.map(({ name }) => name).join(', ')}`;
  return form.kind === 'other' ? `the type ${form.name}` : `${form.kind}s`;
}
