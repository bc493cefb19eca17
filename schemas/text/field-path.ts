export function getValue(value: unknown, path: readonly PropertyKey[]): unknown {
  return path.reduce<unknown>(
    (parent, part) => (typeof parent === 'object' && parent !== null ? Reflect.get(parent, part) : undefined),
    value,
  );
}

/** Formats a field's path, such as `prior_interactions[2].dialogue[3].role`. */
export function formatFieldName(path: readonly PropertyKey[]): string {
  return path
    .map((part) => (typeof part === 'number' ? `[${part}]` : `.${String(part)}`))
    .join('')
    .replace(/^\./, '');
}
