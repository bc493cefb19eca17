/** A value of a Python literal as `repr` writes it; numbers and constants stay text. */
export type PythonValue = string | readonly PythonValue[] | PythonDict;
export type PythonDict = ReadonlyMap<string, PythonValue>;

/** Reads what Python's `repr` writes of dicts, lists, tuples, strings and numbers. @throws Error at the place it cannot read. */
export function readPythonLiteral(text: string): PythonValue {
  const tokens = text.match(TOKEN) ?? [];
  let at = 0;

  function value(): PythonValue {
    const token = tokens[at];
    at += 1;
    if (token === '{') return dict();
    if (token === '[' || token === '(') return list();
    if (token === undefined || CLOSERS.has(token))
      throw new Error(`Not a Python literal: ${text.slice(0, 80)}`);
    return /^['"]/.test(token) ? unescaped(token.slice(1, -1)) : token;
  }

  function list(): PythonValue[] {
    const items: PythonValue[] = [];
    while (!CLOSERS.has(tokens[at] ?? ']')) {
      items.push(value());
      if (tokens[at] === ',') at += 1;
    }
    at += 1;
    return items;
  }

  function dict(): PythonDict {
    const entries = new Map<string, PythonValue>();
    while (!CLOSERS.has(tokens[at] ?? '}')) {
      const key = value();
      at += 1;
      entries.set(typeof key === 'string' ? key : '', value());
      if (tokens[at] === ',') at += 1;
    }
    at += 1;
    return entries;
  }

  return value();
}

const TOKEN = /'(?:[^'\\]|\\[^])*'|"(?:[^"\\]|\\[^])*"|[{}[\]():,]|[^\s{}[\]():,'"]+/g;
const CLOSERS: ReadonlySet<string> = new Set(['}', ']', ')']);
const ESCAPES: Readonly<Record<string, string>> = { n: '\n', r: '\r', t: '\t' };

function unescaped(text: string): string {
  return text.replaceAll(
    /\\(?:x([0-9a-f]{2})|u([0-9a-f]{4})|U([0-9a-f]{8})|([^]))/g,
    (_, byte?: string, short?: string, long?: string, character = '') => {
      const code = byte ?? short ?? long;
      return code === undefined
        ? (ESCAPES[character] ?? character)
        : String.fromCodePoint(Number.parseInt(code, 16));
    },
  );
}
