import { LineCounter, parseDocument } from 'yaml';
import { separateText } from '../../../schemas/model/answer-text';
import { splitIntoLines } from '../../../schemas/text/lines';
import { accept, reject, type CheckResult, checkText, isWellFormed } from './checks';
import { quoteAnswer } from '../../texts/quote-answer';
import { mapTexts } from './shape';

/** Parses the JSON in the answer's fence, or the whole answer. */
export function parseFencedJson(answer: string): CheckResult<unknown> {
  const content = extractFenced(answer);
  return content.ok ? parseAnswerJson(content.value) : content;
}

/**
 * Parses the YAML in the answer's fence, or the whole answer. All scalars stay strings, because YAML 1.1 turns `yes`, `12:30` and dates into other
 * values.
 */
export function parseFencedYaml(answer: string): CheckResult<unknown> {
  const content = extractFenced(answer);
  return content.ok ? parseYaml(content.value) : content;
}

/**
 * Returns the content of the last JSON or YAML fence, or the whole text without one. Earlier blocks are drafts. Rejects a block that is never
 * closed, because the end of the answer is missing.
 */
export function extractFenced(answer: string): CheckResult<string> {
  const text = checkText(answer);
  if (!text.ok) return text;
  let content = text.value;
  for (let from = 0; ;) {
    // After the first block, a fence within a line is a mention.
    const opener = (from === 0 ? OPENER : LINE_OPENER).exec(text.value.slice(from));
    if (opener === null) return checkText(content);
    const [fence, indent = ''] = opener;
    const start = from + opener.index + fence.length;
    const end = findFenceEnd(text.value, start, indent.length);
    if (end === undefined) return reject([`the block that ${fence.trim()} opens is not closed with \`\`\``]);
    content = text.value.slice(start, end);
    from = end + '```'.length;
  }
}

const OPENER = /(?:^([ \t]*)|)```(?:json|ya?ml)\b/im;
const LINE_OPENER = /^([ \t]*)```(?:json|ya?ml)\b/im;

/** Finds a fence on a line of its own that is indented no further than the one that it closes; else the last one in the text. */
function findFenceEnd(text: string, start: number, indent: number): number | undefined {
  const line = new RegExp(`^[ \\t]{0,${indent}}\`\`\`[ \\t]*$`, 'm').exec(text.slice(start));
  const end = line === null ? text.lastIndexOf('```') : start + line.index;
  return end < start ? undefined : end;
}

function parseAnswerJson(text: string): CheckResult<unknown> {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    const unified = unifyLineEnds(text);
    if (unified !== text) return parseAnswerJson(unified);
    if (!/[[{]/.test(text)) return reject(['the answer contains no JSON']);
    // The engine's message is not passed on: its wording changes with the version of Node, and the reason becomes part of the next request.
    return reject([
      'the JSON cannot be parsed (look for missing or trailing commas, and for quotation marks and line breaks inside strings that are not escaped)',
    ]);
  }
  return checkWellFormed(value);
}

/** Returns a text without a line feed with one in place of each other line end, for parsers that know no others. */
function unifyLineEnds(text: string): string {
  return text.includes('\n') ? text : splitIntoLines(text).join('\n');
}

function parseYaml(yaml: string): CheckResult<unknown> {
  const text = unifyLineEnds(yaml);
  const lineCounter = new LineCounter();
  try {
    const document = parseDocument(text, {
      schema: 'failsafe',
      lineCounter,
      prettyErrors: false,
      logLevel: 'error',
    });
    const [error] = document.errors;
    if (error === undefined) return checkWellFormed(document.toJS({ maxAliasCount: 0 }));
    const { line } = lineCounter.linePos(error.pos[0]);
    const [problem = ''] = error.message.split(';');
    return rejectYaml(
      `${problem.replace(/[.:]$/, '')}, at the line ${quoteAnswer(text.split('\n')[line - 1] ?? '')}`,
    );
  } catch {
    // Thrown for aliases, which no form asks for; a text in **bold** looks like one.
    return rejectYaml('a text that begins with * or & stands without quotation marks');
  }
}

function rejectYaml(problem: string): CheckResult<never> {
  return reject([
    `the YAML cannot be parsed: ${problem} (write texts that hold colons, quotation marks, asterisks or line breaks as block scalars)`,
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
  return accept(mapTexts(value, (text) => separateText(text).text));
}
