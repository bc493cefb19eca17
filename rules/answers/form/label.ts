/** Finds the label that a value spells, whatever its case, bold type, quotation marks, joining dashes or final full stop. */
export function findLabel<Label extends string>(value: unknown, labels: readonly Label[]): Label | undefined {
  if (typeof value !== 'string') return undefined;
  const words = normalizeWords(value);
  return labels.find((label) => normalizeWords(label) === words);
}

function normalizeWords(text: string): string {
  return text
    .replaceAll(/[*`"'“”‘’.]/g, '')
    .replaceAll(/[\s_-]+/g, ' ')
    .trim()
    .toLowerCase();
}
