/** Types that `formatPythonRepr` supports: those in a persona template. */
type PythonValue = number | string | readonly PythonValue[] | { readonly [key: string]: PythonValue };

/** Formats integers, strings, lists and dicts of them as Python's `repr` does. */
export function formatPythonRepr(value: PythonValue): string {
  if (typeof value === 'number') return String(value);
  if (typeof value === 'string') return formatString(value);
  if (isList(value)) return `[${value.map(formatPythonRepr).join(', ')}]`;
  const entries = Object.entries(value).map(
    ([key, entry]) => `${formatString(key)}: ${formatPythonRepr(entry)}`,
  );
  return `{${entries.join(', ')}}`;
}

/** Narrows to a list, which `Array.isArray` does not do for readonly arrays. */
function isList(value: PythonValue): value is readonly PythonValue[] {
  return Array.isArray(value);
}

/** Quotes with single quotes, unless the text has one and no double quote. */
function formatString(text: string): string {
  const quote = text.includes("'") && !text.includes('"') ? '"' : "'";
  return quote + Array.from(text, (character) => escapeCharacter(character, quote)).join('') + quote;
}

function escapeCharacter(character: string, quote: string): string {
  if (character === quote || character === '\\') return `\\${character}`;
  if (character === ' ') return character;
  return UNPRINTABLE.test(character)
    ? (SHORT_ESCAPES.get(character) ?? formatNumericEscape(character))
    : character;
}

/**
 * Characters that `str.isprintable` denies: the categories Other and Separator, except the space. Unassigned characters count as Other, so
 * the result may differ for characters that only one side's Unicode tables know.
 */
const UNPRINTABLE = /[\p{C}\p{Z}]/u;

const SHORT_ESCAPES: ReadonlyMap<string, string> = new Map([
  ['\t', '\\t'],
  ['\n', '\\n'],
  ['\r', '\\r'],
]);

function formatNumericEscape(character: string): string {
  const code = character.codePointAt(0) ?? 0;
  const digits = code.toString(16);
  if (code <= 0xff) return `\\x${digits.padStart(2, '0')}`;
  return code <= 0xffff ? `\\u${digits.padStart(4, '0')}` : `\\U${digits.padStart(8, '0')}`;
}
