/**
 * Formats a value as Python's `json.dumps(value, indent=indent)` does: lists and objects of texts, whole numbers, truth values and null.
 * Like its default (`ensure_ascii`), it escapes all but printable ASCII in UTF-16 units: `é` becomes `\u00e9`.
 */
export function formatPythonJson(value: object, indent = 2): string {
  return JSON.stringify(value, undefined, indent).replaceAll(
    /[\u007f-\uffff]/g,
    (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}
