import { LineCounter, parseDocument } from 'yaml';
import { separateText } from '../../../schemas/model/answer-text';
import { accept, quoteAnswer, reject, type CheckResult, checkText, isWellFormed } from './checks';
import { mapTexts } from './shape';

/** Returns the JSON value in an answer: in its fence, or the whole of it. */
export function parseFencedJson(answer: string): CheckResult<unknown> {
  const content = extractFenced(answer);
  return content.ok ? parseJson(content.value) : content;
}

/**
 * Returns the YAML value in an answer: in its fence, or the whole of it. All scalars are strings as written, so that `yes`,
 * `12:30` and dates stay what the model said (YAML 1.1 turned them into other things).
 */
export function parseFencedYaml(answer: string): CheckResult<unknown> {
  const content = extractFenced(answer);
  return content.ok ? parseYaml(content.value) : content;
}

/**
 * Returns the content of the last JSON or YAML fence, or the whole text if there is none. Earlier blocks are drafts. A
 * block that is never closed means that the end of the answer is missing.
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

/** Returns a fence on a line of its own that is indented no further than the one that it closes; else the last one in the text. */
function findFenceEnd(text: string, start: number, indent: number): number | undefined {
  const line = new RegExp(`^[ \\t]{0,${indent}}\`\`\`[ \\t]*$`, 'm').exec(text.slice(start));
  const end = line === null ? text.lastIndexOf('```') : start + line.index;
  return end < start ? undefined : end;
}

function parseJson(text: string): CheckResult<unknown> {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    // The engine's own message is not passed on: its wording changes with the version of Node, and the reason becomes
    // part of the next request.
    return reject([
      'the JSON cannot be parsed (look for missing or trailing commas, and for quotation marks and line breaks inside strings that are not escaped)',
    ]);
  }
  return checkWellFormed(value);
}

function parseYaml(text: string): CheckResult<unknown> {
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
    // Thrown for aliases, which no form asked for has; a text in **bold** looks like one.
    return rejectYaml('a text that begins with * or & stands without quotation marks');
  }
}

function rejectYaml(problem: string): CheckResult<never> {
  return reject([
    `the YAML cannot be parsed: ${problem} (write texts that hold colons, quotation marks, asterisks or line breaks as block scalars)`,
  ]);
}

/** No form asked for is nested deeper; far deeper ones would exhaust the stack. */
const DEEPEST_NESTING = 16;

/** Returns the value with what models leave around a text cut off from each; escapes such as "\ud83d" make lone surrogates out of a well-formed answer. */
function checkWellFormed(value: unknown): CheckResult<unknown> {
  let level = [value];
  for (let depth = 0; level.length > 0; depth += 1) {
    if (depth > DEEPEST_NESTING) return reject(['the answer is nested more deeply than any form asked for']);
    const inside = level.flatMap((one): unknown[] =>
      typeof one === 'object' && one !== null ? [...Object.keys(one), ...Object.values(one)] : [],
    );
    if (inside.some((one) => typeof one === 'string' && !isWellFormed(one))) {
      return reject(['an escape in the answer stands for half of a character (a lone surrogate)']);
    }
    level = inside;
  }
  return accept(mapTexts(value, (text) => separateText(text).text));
}
