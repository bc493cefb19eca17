/**
 * What Python's `json.dumps(value, indent=indent)` gives for lists and objects of texts, whole numbers, truth values and null. As by
 * its default (`ensure_ascii`), everything that is not printable ASCII is escaped, in UTF-16 units: `é` is written `\u00e9`.
 */
export function formatPythonJson(value: object, indent = 2): string {
  return JSON.stringify(value, undefined, indent).replaceAll(
    /[\u007f-\uffff]/g,
    (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}
