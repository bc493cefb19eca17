import { LineCounter, parseDocument, visit, type Document } from 'yaml';
import { separateText, trimText } from '../../../schemas/model/answer-text';
import { LINE_END, splitIntoLines } from '../../../schemas/text/lines';
import { accept, reject, type CheckResult, checkText, isWellFormed } from './checks';
import { quoteAnswer } from '../../texts/quote-answer';
import { mapTexts } from './shape';

/** Parses the JSON in the answer's fence, or the whole answer. */
export function parseFencedJson(answer: string): CheckResult<unknown> {
  const content = extractFenced(answer);
  return content.ok ? parseAnswerJson(content.value, content.value !== trimText(answer)) : content;
}

/**
 * Parses the YAML in the answer's fence, or the whole answer. All scalars stay strings, because YAML 1.1 turns `yes`, `12:30` and dates into other
 * values.
 */
export function parseFencedYaml(answer: string): CheckResult<unknown> {
  const content = extractFenced(answer);
  return content.ok ? parseYaml(content.value, content.value !== trimText(answer)) : content;
}

/**
 * Returns the content of the last JSON or YAML fence, or the whole text without one. Earlier blocks are drafts. Fences with a similar label or none
 * count if no other does. Rejects a block that is never closed, because the end of the answer is missing.
 */
export function extractFenced(answer: string): CheckResult<string> {
  const text = checkText(answer);
  if (!text.ok) return text;
  return (
    findLastBlock(text.value, OPENER, LINE_OPENER) ??
    findLastBlock(text.value, ANY_OPENER) ??
    checkText(text.value.replace(BARE_LABEL, ''))
  );
}

/**
 * Finds the content of the last block of JSON or YAML.
 * @param next opener of each block but the first, after which a fence within a line is a mention
 */
function findLastBlock(text: string, first: RegExp, next = first): CheckResult<string> | undefined {
  let content: string | undefined;
  for (let from = 0; ;) {
    const opener = (from === 0 ? first : next).exec(text.slice(from));
    if (opener === null) return content === undefined ? undefined : checkText(content);
    const { indent = '', fence = '```', label = '' } = opener.groups ?? {};
    const start = from + opener.index + opener[0].length;
    const end = findFenceEnd(text, start, fence, indent.length);
    if (end === undefined)
      return reject([`the block that ${opener[0].trim()} opens is not closed with ${fence}`]);
    if (DATA_LABEL.test(label)) content = text.slice(start, end);
    from = end + fence.length;
  }
}

const OPENER = /(?:^(?<indent>[ \t]*)|(?<!`))```(?<label>json|ya?ml)\b/im;
const LINE_OPENER = /^(?<indent>[ \t]*)```(?<label>json|ya?ml)\b/im;

/** A fence with any label. It is not indented, because texts in YAML contain indented ones. */
const ANY_OPENER = /^(?<fence>`{3,}|~{3,})(?<label>[^`\n\r\u2028\u2029]*)$/m;
const DATA_LABEL = /^\s*(?:$|(?:json[5c]?|ya?ml)\b)/i;

/** A label on the first line, whose fence is missing. */
const BARE_LABEL = new RegExp(`^(?:json|ya?ml)[ \\t]*${LINE_END}`, 'i');

/** Finds a fence on a line of its own that is indented no further than the one that it closes; else the last one in the text. */
function findFenceEnd(text: string, start: number, fence: string, indent: number): number | undefined {
  const line = new RegExp(`^[ \\t]{0,${indent}}${fence}[ \\t]*$`, 'm').exec(text.slice(start));
  const end = line === null ? text.lastIndexOf(fence) : start + line.index;
  return end < start ? undefined : end;
}

function parseAnswerJson(text: string, isFenced: boolean): CheckResult<unknown> {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    const unified = unifyLineEnds(text);
    if (unified !== text) return parseAnswerJson(unified, isFenced);
    const problem = /[[{]/.test(text) ? 'the JSON cannot be parsed' : 'the answer contains no JSON';
    // The engine's message is not passed on: its wording changes with the version of Node, and the reason becomes part of the next request.
    const remedies = [
      ...(isFenced ? [] : ['put the JSON in one ```json block']),
      ...(isFenced || /^[[{][^]*[\]}]$/.test(text) ? [JSON_MISTAKES] : []),
    ];
    return reject([`${problem} (${remedies.join('; ')})`]);
  }
  return checkWellFormed(value);
}

const JSON_MISTAKES =
  'look for missing or trailing commas, and for quotation marks and line breaks inside strings that are not escaped';

/** Returns a text without a line feed with one in place of each other line end, for parsers that know no others. */
function unifyLineEnds(text: string): string {
  return text.includes('\n') ? text : splitIntoLines(text).join('\n');
}

function parseYaml(yaml: string, isFenced: boolean): CheckResult<unknown> {
  const text = unifyLineEnds(yaml);
  const lineCounter = new LineCounter();
  const lines = text.split('\n');
  const quoteLine = (offset: number) => quoteAnswer(lines[lineCounter.linePos(offset).line - 1] ?? '');
  try {
    const document = parseDocument(text, {
      schema: 'failsafe',
      lineCounter,
      prettyErrors: false,
      logLevel: 'error',
    });
    const comments = listTrailingComments(document, text);
    if (comments.length > 0) return reject(comments.map((offset) => describeComment(quoteLine(offset))));
    const [error] = document.errors;
    if (error === undefined) return checkWellFormed(document.toJS({ maxAliasCount: 0 }));
    const [problem = ''] = error.message.split(';');
    return rejectYaml(`${problem.replace(/[.:]$/, '')}, at the line ${quoteLine(error.pos[0])}`, isFenced);
  } catch {
    // Thrown for aliases, which no form asks for; a text in **bold** looks like one.
    return rejectYaml('a text that begins with * or & stands without quotation marks', isFenced);
  }
}

/** Lists where comments follow a text without quotation marks. Nearly all are words of the text, such as "#3", that YAML drops. */
function listTrailingComments(document: Document.Parsed, text: string): number[] {
  const offsets: number[] = [];
  visit(document, {
    Scalar(_, { type, range }) {
      const end = range?.[1];
      if (type === 'PLAIN' && end !== undefined && /^[ \t]*#/.test(text.slice(end))) offsets.push(end);
    },
  });
  return offsets;
}

function describeComment(line: string): string {
  return `YAML reads the words from # on as a comment and drops them, at the line ${line} (put the value in quotation marks or write it as a block scalar, and write no comments)`;
}

function rejectYaml(problem: string, isFenced: boolean): CheckResult<never> {
  const fence = isFenced ? '' : 'put the YAML in one ```yaml block; ';
  return reject([
    `the YAML cannot be parsed: ${problem} (${fence}write texts that hold colons, quotation marks, asterisks or line breaks as block scalars)`,
  ]);
}

/** No form is nested deeper; far deeper nesting would exhaust the stack. */
const DEEPEST_NESTING = 16;

/**
 * Returns the value, with what models leave around a text removed from each. Rejects nesting that is too deep, and lone surrogates, which escapes
 * such as "\ud83d" produce.
 */
function checkWellFormed(value: unknown): CheckResult<unknown> {
  let level = [value];
  for (let depth = 0; level.length > 0; depth += 1) {
    if (depth > DEEPEST_NESTING) return reject(['the answer is nested more deeply than any form asked for']);
    const inside = level.flatMap((item): unknown[] =>
      typeof item === 'object' && item !== null ? [...Object.keys(item), ...Object.values(item)] : [],
    );
    if (inside.some((item) => typeof item === 'string' && !isWellFormed(item))) {
      return reject(['an escape in the answer stands for half of a character (a lone surrogate)']);
    }
    level = inside;
  }
  return accept(mapTexts(value, (text) => separateText(text, { cutsTurns: false }).text));
}
