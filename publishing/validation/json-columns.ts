import type { ColumnForm, FileColumn } from '../../data/readers/row';
import { formatFieldPath, validateOrder, createUnknownColumnProblem } from './columns';
import type { Problem } from './findings';

/** The names in rows of JSON lines, which have no columns: each that is not CUPID's is reported once, and so is each other order. */
export class JsonColumns {
  readonly #reported = new Set<string>();

  constructor(private readonly expected: readonly FileColumn[]) {}

  add(row: unknown): Problem[] {
    return this.#inObject(this.expected, row, '').filter(({ rule, field = '' }) => {
      const finding = `${rule} ${field}`;
      if (this.#reported.has(finding)) return false;
      this.#reported.add(finding);
      return true;
    });
  }

  #inObject(expected: readonly FileColumn[], value: unknown, path: string): Problem[] {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return [];
    const names = expected.map(({ name }) => name);
    const actualNames = Object.keys(value);
    const order = validateOrder(names, actualNames, path);
    return [
      ...actualNames
        .filter((name) => !names.includes(name))
        .map((name) => createUnknownColumnProblem(name, names, path)),
      ...(order === undefined ? [] : [order]),
      ...expected.flatMap(({ name, form }) =>
        this.#inValue(form, Reflect.get(value, name), formatFieldPath(path, name)),
      ),
    ];
  }

  #inValue(form: ColumnForm, value: unknown, path: string): Problem[] {
    if (form.kind === 'struct') return this.#inObject(form.fields, value, path);
    if (form.kind !== 'list' || !Array.isArray(value)) return [];
    return value.flatMap((element: unknown) => this.#inValue(form.of, element, `${path}[]`));
  }
}
