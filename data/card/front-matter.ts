import {
  isMap,
  parse,
  parseDocument,
  stringify,
  type Document,
  type Pair,
  type Scalar,
  type YAMLMap,
} from 'yaml';
import { DataError, reasonOf } from '../sets/error';

/** Marks the cards that this program wrote of its own runs. */
export const OURS_TAG = 'cupid-pipeline';

/** What a card's front matter says; undefined where it has none, or one that is not YAML. */
export function frontMatterOf(card: string): unknown {
  try {
    const value: unknown = parse(split(card).front);
    return value;
  } catch {
    return undefined;
  }
}

/** Values as front matter, between its lines. */
export function renderFrontMatter(values: object): string {
  return `---\n${yamlOf(values)}---\n`;
}

/**
 * The card with these values in its front matter, in the place of those that were there under their names; every other byte stays.
 * A text without front matter gets one.
 * @throws DataError when the front matter is not YAML that holds names and values
 */
export function withFrontMatter(card: string, values: Readonly<Record<string, unknown>>): string {
  const { begin, front, end, body } = split(card);
  const changed = Object.entries(values).reduce((yaml, [name, value]) => withValue(yaml, name, value), front);
  return begin + changed + end + body;
}

/**
 * The card without these names in its front matter; every other byte stays.
 * @throws DataError when the front matter is not YAML that holds names and values
 */
export function withoutFrontMatter(card: string, names: readonly string[]): string {
  const { begin, front, end, body } = split(card);
  return begin + names.reduce(withoutValue, front) + end + body;
}

/** A card taken apart: put together, the parts are the card, with empty front matter where it had none. */
function split(card: string): { begin: string; front: string; end: string; body: string } {
  const [whole = '', begin, front = '', end] =
    /^(\uFEFF?---[ \t]*\r?\n)((?:[\s\S]*?\n)?)(---[ \t]*(?:\r?\n|$))/.exec(card) ?? [];
  if (begin === undefined || end === undefined) {
    return { begin: '---\n', front: '', end: '---\n', body: card === '' ? '' : `\n${card}` };
  }
  return { begin, front, end, body: card.slice(whole.length) };
}

function withValue(yaml: string, name: string, value: unknown): string {
  const document = parsed(yaml);
  const line = yamlOf({ [name]: value });
  const contents = mapIn(document);
  if (contents === null) return yaml + line;
  if (contents.flow === true) {
    document.set(name, value);
    return document.toString({ lineWidth: 0 });
  }
  const pair = contents.items.find(({ key }) => key.value === name);
  if (pair === undefined) return `${line}${yaml}`;
  const [from, to] = placeOf(pair, yaml);
  return yaml.slice(0, from) + (yaml[to - 1] === '\n' ? line : line.trimEnd()) + yaml.slice(to);
}

function withoutValue(yaml: string, name: string): string {
  const document = parsed(yaml);
  const contents = mapIn(document);
  const pair = contents?.items.find(({ key }) => key.value === name);
  if (contents === null || pair === undefined) return yaml;
  if (contents.flow === true) {
    document.delete(name);
    return document.toString({ lineWidth: 0 });
  }
  const [from, to] = placeOf(pair, yaml);
  const rest = yaml.slice(to);
  return yaml.slice(0, from) + (yaml[to - 1] === '\n' ? rest : rest.replace(/^[^\n]*\n/, ''));
}

function mapIn({ contents }: Document.Parsed): YAMLMap<Scalar> | null {
  if (contents === null || isMap<Scalar>(contents)) return contents;
  throw unusable('expected names and values');
}

function parsed(yaml: string): Document.Parsed {
  const document = parseDocument(yaml);
  const [error] = document.errors;
  if (error !== undefined) throw unusable(reasonOf(error));
  return document;
}

/** From where to where a name and its value reach. */
function placeOf({ key, value }: Pair<Scalar>, yaml: string): [number, number] {
  const [from = 0, , keyEnd = 0] = key.range ?? [];
  const range: unknown =
    typeof value === 'object' && value !== null && 'range' in value ? value.range : undefined;
  const end: unknown = Array.isArray(range) ? range[1] : undefined;
  const to = typeof end === 'number' ? end : yaml.indexOf(':', keyEnd) + 1;
  return [from, to];
}

function unusable(why: string): DataError {
  return new DataError(
    `The card's front matter, between its two lines of "---", is not YAML as the Hub reads it: ${why}. Mend it in README.md.`,
  );
}

function yamlOf(values: object): string {
  return stringify(values, { lineWidth: 0 });
}
