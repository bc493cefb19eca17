import type { ColumnForm, FileColumn } from './row';

/** Lists the names that more than one column has, and those of fields in structs as paths: `sessions[].story`. */
export function listRepeatedColumns(columns: readonly FileColumn[], path = ''): string[] {
  const names = columns.map(({ name }) => name);
  const repeated = columns.flatMap(({ name, form }, index) =>
    names.indexOf(name) < index ? [`${path}${name}`] : listRepeatedFields(form, `${path}${name}`),
  );
  return [...new Set(repeated)];
}

function listRepeatedFields(form: ColumnForm, path: string): string[] {
  if (form.kind === 'list') return listRepeatedFields(form.of, `${path}[]`);
  return form.kind === 'struct' ? listRepeatedColumns(form.fields, `${path}.`) : [];
}
