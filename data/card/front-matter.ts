import { isMap, isScalar, parseDocument, Parser, stringify, visit } from 'yaml';
import type { CST, Document, Pair, Scalar, YAMLMap } from 'yaml';
import { DataError, getReason } from '../store/data-error';

/** Marks cards that this program wrote for its own runs. */
export const OURS_TAG = 'cupid-pipeline';

/** Marks data whose types of factors, tasks and preferences are not the paper's. */
export const OWN_TAXONOMY_TAG = 'custom-taxonomy';

/**
 * Reads a card's front matter; undefined if it has none, or one that is not YAML.
 * @throws DataError when it is too long to be parsed
 */
export function readFrontMatter(card: string): unknown {
  const { front } = split(card);
  requireReadable(front);
  try {
    const value: unknown = parseYaml(front).toJS();
    return value;
  } catch {
    return undefined;
  }
}

/** Renders values as front matter, with its delimiter lines. */
export function renderFrontMatter(values: object): string {
  return `---\n${renderYaml(values)}---\n`;
}

/**
 * Returns the card with these values in its front matter, replacing earlier values of the same names; every other byte stays. A name
 * without a value is removed. A text without front matter gets one.
 * @throws DataError when the front matter is not a YAML mapping
 */
export function withFrontMatter(card: string, values: Readonly<Record<string, unknown>>): string {
  const { begin, front, end, body } = split(card);
  const changed = Object.entries(values).reduce((yaml, [name, value]) => withValue(yaml, name, value), front);
  return begin + changed + end + body;
}

/** Splits a card into parts that join to the same card; adds empty front matter to a card without one. */
function split(card: string): { begin: string; front: string; end: string; body: string } {
  const [frontMatter = '', begin, front = '', end] =
    /^(\uFEFF?---[ \t]*\r?\n)((?:[\s\S]*?\n)?)(---[ \t]*(?:\r?\n|$))/.exec(card) ?? [];
  if (begin === undefined || end === undefined) {
    return { begin: '---\n', front: '', end: '---\n', body: card === '' ? '' : `\n${card}` };
  }
  return { begin, front, end, body: card.slice(frontMatter.length) };
}

function withValue(yaml: string, name: string, value: unknown): string {
  const document = parseYaml(yaml);
  const line = value === undefined ? '' : renderYaml({ [name]: value });
  const contents = mapIn(document);
  if (contents === null) return yaml + line;
  const pair = contents.items.find(({ key }) => key.value === name);
  if (pair === undefined && (value === undefined || contents.flow !== true)) return `${line}${yaml}`;
  if (pair === undefined || contents.flow === true) {
    if (value === undefined) document.delete(name);
    else document.set(name, value);
    return document.toString({ lineWidth: 0 });
  }
  const [from, to] = findRange(pair, yaml);
  const before = yaml.slice(0, from);
  if (yaml[to - 1] === '\n') return before + line + yaml.slice(to);
  return before + line.trimEnd() + yaml.slice(value === undefined ? yaml.indexOf('\n', to) + 1 || to : to);
}

function mapIn({ contents }: Document.Parsed): YAMLMap<Scalar> | null {
  if (contents === null || isMap<Scalar>(contents)) return contents;
  throw createUnusableError('expected names with values');
}

function parseYaml(yaml: string): Document.Parsed {
  requireReadable(yaml);
  let document: Document.Parsed;
  try {
    document = parseBounded(yaml);
  } catch (error) {
    throw createUnusableError(getReason(error));
  }
  const [error] = document.errors;
  if (error === undefined) return document;
  const line = yaml.slice(0, error.pos[0]).split('\n').length;
  throw createUnusableError(`${error.message}, in its line ${line}`);
}

/**
 * Parses front matter within bounds, because cards are foreign input. The library recurses until the stack is full, which ends the process
 * in the middle of a regular expression. It takes minutes for 400 nested lists and mappings used as keys, and it compares each name with
 * all others to find duplicates.
 */
function parseBounded(yaml: string): Document.Parsed {
  if (isDeep([...new Parser().parse(yaml)])) throw new Error('it is nested too deeply');
  const document = parseDocument(yaml, { uniqueKeys: false, logLevel: 'silent', prettyErrors: false });
  visit(document, {
    Map: (_key, { items }) => {
      const names = items.map(({ key }) => {
        if (!isScalar(key)) throw new Error('a name is a list or a mapping');
        return key.value;
      });
      if (new Set(names).size < names.length) throw new Error('a name occurs twice');
    },
  });
  return document;
}

/** Returns whether lists and mappings are nested deeper than any card needs, without recursion. */
function isDeep(tokens: readonly CST.Token[]): boolean {
  const open: [CST.Token | null | undefined, number][] = tokens.map((token) => [token, 0]);
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const [token, depth] = next;
    if (depth > MAX_DEPTH) return true;
    if (token?.type === 'document') open.push([token.value, depth]);
    if (token === null || token === undefined || !('items' in token)) continue;
    for (const { key, value } of token.items) open.push([key, depth + 1], [value, depth + 1]);
  }
  return false;
}

const MAX_DEPTH = 64;

/** @throws DataError */
function requireReadable(front: string): void {
  if (front.length <= MAX_FRONT_MATTER) return;
  throw new DataError(
    `The front matter of the card (README.md) has ${front.length} characters, but at most ${MAX_FRONT_MATTER} are read. Shorten it.`,
  );
}

const MAX_FRONT_MATTER = 65_536;

/** Finds the start and end of a name and its value. */
function findRange({ key, value }: Pair<Scalar>, yaml: string): [number, number] {
  const [from = 0, , keyEnd = 0] = key.range ?? [];
  const range: unknown =
    typeof value === 'object' && value !== null && 'range' in value ? value.range : undefined;
  const end: unknown = Array.isArray(range) ? range[1] : undefined;
  const to = typeof end === 'number' ? end : yaml.indexOf(':', keyEnd) + 1;
  return [from, to];
}

function createUnusableError(reason: string): DataError {
  return new DataError(
    `The front matter of the card (README.md), between its two "---" lines, is not YAML that the Hub can read: ${reason}. Fix it there.`,
  );
}

function renderYaml(values: object): string {
  return stringify(values, { lineWidth: 0 });
}
