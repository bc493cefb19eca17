/*
 * Separates a model's answer from remains of its server or chat template: reasoning, special tokens, control characters. They are removed only
 * where models write them. A tag in the middle of an answer, in code or in quotation marks belongs to the answer.
 */

/** A text in its parts. */
interface SeparatedText {
  /** The answer as written; empty if there is none. */
  readonly text: string;
  /**
   * `separated`: reasoning preceded the answer; `unopened`: it did, and its opening tag is in the chat template; `unfinished`: reasoning did not
   * end, so there is no answer. Absent: there was none.
   */
  readonly reasoning?: 'separated' | 'unopened' | 'unfinished';
  /** True if special tokens or an invented turn were removed, with everything after them. */
  readonly hadTokens: boolean;
}

/**
 * Separates an answer, or a section or string of an answer, from its marks. A text without marks is returned unchanged.
 * @param cutsTurns whether turns in plain text are cut off; they belong to a string, because invented ones follow a whole answer
 */
export function separateText(raw: string, { cutsTurns = true } = {}): SeparatedText {
  if (!REMAINS_CHARACTER.test(raw) && !REMAINS_WORD.test(raw)) return { text: raw, hadTokens: false };
  const printable = stripInvisible(removeControls(raw));
  const begun = cutHeader(printable);
  const { text: answerText, reasoning } = ANY_MARK.test(begun) ? separateReasoning(begun) : { text: begun };
  const body = reasoning === undefined ? answerText : unwrapAnswer(cutHeader(answerText));
  const withoutTokens = cutTokens(body);
  const turn = cutsTurns ? cutInventedTurn(withoutTokens) : withoutTokens;
  const hadTokens = begun !== printable || turn !== body;
  const text = stripInvisible(turn.replace(RULE_END, ''));
  return { text, hadTokens, ...(reasoning === undefined ? {} : { reasoning }) };
}

/** A rule at the end of a text. Models end a part of an answer with it, not an answer. */
const RULE_END = /(?<=\S)[^\S\n]*\n[^\S\n]*\n\s*(?:-{3,}|\*{3,}|_{3,})\s*$/;

/** Removes invisible characters around a text; without any, the text is returned unchanged. */
function stripInvisible(text: string): string {
  return text.match(BLANK_ENDS)?.some((end) => INVISIBLE.test(end)) === true ? trimText(text) : text;
}

/** Every mark contains one of these. */
const ANY_MARK = /[<[◁]|\]~|assistantfinal/;

/** All remains contain one of these characters, or of the words below. Most texts have none and are not searched further. */
const REMAINS_CHARACTER = new RegExp(
  String.raw`[<\[◁\u00AD\u200B-\u200F\u2060-\u2064\uFEFF[\p{Cc}--[\t\n\r]]]`,
  'v',
);

const REMAINS_WORD = /\]~|assistantfinal|User|USER|Human|HUMAN|(?:---|\*\*\*|___)\s*$/;

/** Returns the text without white space and invisible characters around it. */
export function trimText(text: string): string {
  return text.replaceAll(BLANK_ENDS, '');
}

/** Soft hyphen, zero-width characters, directional marks, byte order mark. */
const INVISIBLE = /[\u00AD\u200B-\u200F\u2060-\u2064\uFEFF]/;

/** White space and invisible characters at an end. The last run begins after another character, so that inner runs take linear time. */
const BLANK_ENDS =
  /^[\s\u00AD\u200B-\u200F\u2060-\u2064]+|(?<![\s\u00AD\u200B-\u200F\u2060-\u2064])[\s\u00AD\u200B-\u200F\u2060-\u2064]+$/g;

/** Returns true if reasoning is at the beginning of a section, a line or a string in this text. */
export function hasInnerReasoning(text: string): boolean {
  return [...text.matchAll(PART_START)].some(({ index, 0: start }) => {
    const part = text.slice(index + start.length);
    const opening = findOpening(part);
    return opening !== undefined && part.search(opening.marks.close) > 0;
  });
}

/** The beginning of a line, a quoted string or a YAML value, before a possible opening mark of reasoning. */
const PART_START = /(?:^|\n|(?<!\\)"|: |- )[^\S\n]*(?=[<[◁])/g;

/** Removes terminal sequences, and every control character except tabs and line breaks. */
function removeControls(text: string): string {
  if (!CONTROL.test(text)) return text;
  return text.replaceAll(/\p{Cc}(?:\[[\d;?]*[A-Za-z])?/gu, (sequence) => {
    if (/^[\t\n\r]/.test(sequence)) return sequence;
    return sequence.startsWith(ESCAPE) ? '' : sequence.slice(1);
  });
}

const CONTROL = /[^\P{Cc}\t\n\r]/u;
const ESCAPE = '\u001B';

/** Marks of reasoning of a family of models. */
interface ReasoningMarks {
  readonly open: RegExp;
  /** The opening mark at the beginning of a text only. */
  readonly start: RegExp;
  readonly close: RegExp;
  /** True if a chat template may contain the opening mark, so that an answer has only the closing one. */
  readonly inTemplate: boolean;
}

function buildReasoningMarks(
  open: string,
  close: string,
  { flags = '', inTemplate = true } = {},
): ReasoningMarks {
  return {
    open: new RegExp(open, `g${flags}`),
    start: new RegExp(`^(?:${open})`, flags),
    close: new RegExp(close, `g${flags}`),
    inTemplate,
  };
}

/** Names of tags in the form of XML: of DeepSeek, Qwen, EXAONE and many others; `seed`: Seed-OSS; `mm`: MiniMax. */
const TAG_NAMES = [
  'think',
  'thinking',
  'thoughts?',
  'reasoning',
  'reflection',
  'scratchpad',
  'inner_monologue',
  'longcat_think',
  'seed:think',
  'mm:think',
  'think:\\w+',
];

/** A tag at the beginning of a sentence is the subject of the sentence. */
const NO_SUBJECT =
  '(?![,;)]|\\s+(?:is|are|was|and|or|tags?|tokens?|blocks?|elements?|means?|marks?|opens?|starts?|begins?)\\b)';

const MARKS: readonly ReasoningMarks[] = [
  ...TAG_NAMES.map((name) => buildReasoningMarks(`<${name}>${NO_SUBJECT}`, `</${name}>`, { flags: 'i' })),
  // Magistral.
  buildReasoningMarks('\\[THINK\\]', '\\[/THINK\\]'),
  // Kimi.
  buildReasoningMarks('◁think▷', '◁/think▷'),
  buildReasoningMarks('<\\|open\\|>think<\\|sep\\|>', '<\\|close\\|>think<\\|sep\\|>'),
  // Command A Reasoning.
  buildReasoningMarks('<\\|START_THINKING\\|>', '<\\|END_THINKING\\|>'),
  // Apertus.
  buildReasoningMarks('<\\|inner_prefix\\|>', '<\\|inner_suffix\\|>'),
  // OpenThinker.
  buildReasoningMarks('<\\|begin_of_thought\\|>', '<\\|end_of_thought\\|>'),
  // Gemma, MedGemma.
  buildReasoningMarks('<\\|channel\\|?>\\s*thought\\b', '<channel\\|>'),
  buildReasoningMarks('<unused94>', '<unused95>'),
  // Apriel, which writes no mark before its reasoning.
  buildReasoningMarks('\\[BEGIN REASONING\\]', '\\[BEGIN FINAL RESPONSE\\]'),
  // Solar.
  buildReasoningMarks('<\\|think\\|>', '<\\|/think\\|>|<\\|end\\|>', { inTemplate: false }),
  // Muse.
  buildReasoningMarks('to=self<\\|message\\|>', '<\\|eom\\|>', { inTemplate: false }),
  // gpt-oss; and gpt-oss on a server that leaves out special tokens.
  buildReasoningMarks('<\\|channel\\|>(?!final)[^<]*<\\|message\\|>', '<\\|channel\\|>(?=final)', {
    inTemplate: false,
  }),
  buildReasoningMarks('analysis(?=\\S)(?=[^]*assistantfinal)', 'assistantfinal', { inTemplate: false }),
];

function findOpening(text: string): { readonly marks: ReasoningMarks; readonly length: number } | undefined {
  if (!/^[<[◁at]/i.test(text)) return undefined;
  for (const marks of MARKS) {
    const match = marks.start.exec(text);
    if (match !== null) return { marks, length: match[0].length };
  }
  return undefined;
}

/**
 * Cuts off leading blocks of reasoning.
 * @param isWhole whether everything up to an unopened closing mark is reasoning, too
 */
export function separateReasoning(
  wholeText: string,
  { isWhole = true } = {},
): Pick<SeparatedText, 'text' | 'reasoning'> {
  let text = wholeText;
  let reasoning: SeparatedText['reasoning'];
  // Reasoning may mention its own opening mark, or contain a nested block.
  let mentioned = 0;
  for (let cuts = 0; cuts < MOST_CUTS; cuts += 1) {
    const begun = trimText(text);
    const opening = findOpening(begun);
    if (opening !== undefined) {
      const { marks, length } = opening;
      const end = findClosing(begun, marks, length);
      if (end === undefined) return { text: '', reasoning: 'unfinished' };
      mentioned += countOpenings(begun.slice(length, end.start), marks);
      text = begun.slice(end.end);
      reasoning ??= 'separated';
      continue;
    }
    const isLone = mentioned > 0 || (isWhole && reasoning === undefined);
    const end = isLone ? findLoneClosing(begun) : reasoning && findRepeatedClosing(begun);
    if (end === undefined) return reasoning === undefined ? { text } : { text: text.trimStart(), reasoning };
    mentioned = 0;
    text = begun.slice(end);
    reasoning ??= 'unopened';
  }
  return { text, ...(reasoning === undefined ? {} : { reasoning }) };
}

/** More successive marks than any model writes; each takes a pass over the whole text. */
const MOST_CUTS = 50;

interface TextSpan {
  readonly start: number;
  readonly end: number;
}

function listTextSpans(text: string, pattern: RegExp): TextSpan[] {
  return [...text.matchAll(pattern)].map(({ index, 0: match }) => ({
    start: index,
    end: index + match.length,
  }));
}

/** Finds the closing mark of a block. One in code or in quotation marks counts only if there is no other; one in inline code never counts. */
function findClosing(text: string, { close }: ReasoningMarks, from: number): TextSpan | undefined {
  const places = listTextSpans(text, close).filter(({ start }) => start >= from);
  return (
    places.find((place) => !isInCode(text, place) && !isQuoted(text, place)) ??
    places.find((place) => !isQuoted(text, place))
  );
}

function countOpenings(text: string, { open }: ReasoningMarks): number {
  return listTextSpans(text, open).filter((place) => !isInCode(text, place) && !isQuoted(text, place)).length;
}

/** Finds the end of an unopened closing mark that is not part of a sentence. */
function findLoneClosing(text: string): number | undefined {
  // In JSON, such a mark belongs to a string.
  if (/^(?:```(?:json|ya?ml)\b|[{[]\s*["{[\]])/i.test(text)) return undefined;
  const ends = MARKS.filter(({ inTemplate }) => inTemplate).flatMap((marks) => {
    const place = findClosing(text, marks, 0);
    const isLone =
      place !== undefined && !isWord(text, place) && countOpenings(text.slice(0, place.start), marks) === 0;
    return isLone && !isInCode(text, place) ? [place.end] : [];
  });
  return ends.length === 0 ? undefined : Math.min(...ends);
}

/** Finds the end of a closing mark at the beginning of a text, because some models write theirs twice. */
function findRepeatedClosing(text: string): number | undefined {
  for (const { close } of MARKS) {
    const [first] = text.matchAll(close);
    if (first?.index === 0) return first[0].length;
  }
  return undefined;
}

/** Returns true for a mark within a sentence: punctuation follows, or words and spaces surround it. */
function isWord(text: string, { start, end }: TextSpan): boolean {
  const before = text.slice(text.lastIndexOf('\n', start - 1) + 1, start);
  const after = text.slice(end, end + 2);
  return /^[,.;:!?)\]}'’]/.test(after) || (/\S[^\S\n]+$/.test(before) && /^[^\S\n]\S/.test(after));
}

/** Returns true within a closed fence. Reasoning may leave one open. */
function isInCode(text: string, { start }: TextSpan): boolean {
  const before = countFences(text.slice(0, start));
  return before % 2 === 1 && countFences(text) % 2 === 0;
}

function countFences(text: string): number {
  return text.match(/^ {0,3}(?:```|~~~)/gm)?.length ?? 0;
}

/** Returns true in inline code, or directly within quotation marks. */
function isQuoted(text: string, { start, end }: TextSpan): boolean {
  const before = text.slice(text.lastIndexOf('\n', start - 1) + 1, start);
  const after = text.slice(end).split('\n', 1)[0] ?? '';
  // Fences do not mark inline code.
  const [left = '', right = ''] = [before, after].map((part) => part.replaceAll(/`{3,}/g, ''));
  const isCode = left.split('`').length % 2 === 0 && right.includes('`');
  return isCode || (/["'“”‘’«»„]$/.test(before) && /^["'“”‘’«»]/.test(after));
}

/** Header that a chat template writes before an answer. */
const HEADER = new RegExp(
  `^(?:\\s*(?:${[
    '<s>(?![^]*</s>\\s*\\S)',
    '<bos>',
    '<\\|(?:begin_of_text|startoftext|START_OF_TURN_TOKEN|CHATBOT_TOKEN|START_RESPONSE|START_TEXT)\\|>',
    '<\\|(?:begin_of_solution|begin_of_box|assistant|content)\\|>',
    '<\\|im_start\\|>\\s*assistant\\b',
    '<\\|start_header_id\\|>assistant<\\|end_header_id\\|>',
    '<start_of_turn>model\\b',
    '<\\|turn>model\\b',
    '<\\|(?:start|begin)\\|>assistant\\b',
    '<\\|open\\|>(?:message role="assistant"|response)<\\|sep\\|>',
    '<\\|channel\\|>final[^<]*(?:<\\|constrain\\|>[^<]*)?<\\|message\\|>',
    'final[^<\\n]{0,20}(?:<\\|constrain\\|>[^<]*)?<\\|message\\|>',
    '<｜Assistant｜>',
    '\\[\\|assistant\\|\\]',
  ].join('|')}))+\\s*`,
);

function cutHeader(text: string): string {
  return text.replace(HEADER, '');
}

/** Returns the answer in the tags with which models surround it after their reasoning (Hunyuan, ERNIE, Granite). */
function unwrapAnswer(text: string): string {
  const [, name, content] = /^\s*<(answer|response|output|final_answer)>([^]*)$/i.exec(text) ?? [];
  if (name === undefined || content === undefined) return text;
  const end = content.toLowerCase().lastIndexOf(`</${name.toLowerCase()}>`);
  if (end < 0) return content.trimStart();
  return trimText(content.slice(end + name.length + 3)) === '' ? content.slice(0, end).trim() : text;
}

/** Ends a turn. */
const TURN_END = [
  '<\\|(?:im_end|eot_id|eom_id|eom|eot|end|return|call|endoftext|end_of_text|end_of_turn|end_of_msg|role_end)\\|>',
  '<\\|(?:END_OF_TURN_TOKEN|END_RESPONSE|END_TEXT|end_of_solution|end_of_box|user|observation)\\|>',
  '<\\|close\\|>(?:response|message)<\\|sep\\|>',
  '<end_of_turn>',
  '<turn\\|>',
  '</s>',
  '<eos>',
  '<seed:eos>',
  '<｜end▁of▁sentence｜>',
  '\\[\\|endofturn\\|\\]',
  '\\[END FINAL RESPONSE\\]',
  '\\[e~\\[',
].join('|');

const ROLE = '(?:user|human|system|assistant|model|tool|ipython|developer|observation)';

/** Begins a turn: the name of its role is part of the mark, or follows it directly. */
const TURN_START = [
  // ChatML, Llama 3 and 4, gpt-oss, Granite, Kimi, MiniMax, Ling.
  `<\\|im_start\\|>\\s*${ROLE}\\b`,
  `<\\|(?:start_header_id|header_start|start_of_role|role_start)\\|>\\s*${ROLE}\\b`,
  `<\\|(?:start|begin)\\|>\\s*${ROLE}(?=<\\||\\s*\\n)`,
  '<\\|im_(?:user|system|assistant)\\|>',
  `\\]~b\\]${ROLE}\\b`,
  '<role>(?:HUMAN|ASSISTANT|SYSTEM|OBSERVATION)</role>',
  // Phi, Zephyr, GLM; EXAONE; DeepSeek; Command; Nemotron.
  '<\\|(?:user|system|assistant|observation|prompter)\\|>',
  '\\[\\|(?:user|system|assistant)\\|\\]',
  '<｜(?:User|Assistant)｜>',
  '<\\|START_OF_TURN_TOKEN\\|>',
  '<(?:extra_id_1|SPECIAL_11)>(?:User|Assistant|System)\\b',
  // Gemma; Mistral and Llama 2; Command A.
  `<start_of_turn>${ROLE}\\b`,
  `<\\|turn>${ROLE}\\b`,
  '(?:<s>\\s*)?\\[INST\\]',
  '<<SYS>>',
  '<\\|open\\|>message',
].join('|');

const TURN_MARK = new RegExp(`${TURN_END}|${TURN_START}`, 'g');
const MORE_TOKENS = new RegExp(`^(?:\\s*(?:${TURN_END}))+`);
const ENDS_TURN = new RegExp(`^(?:${TURN_END})`);
const BEGINS_TURN = new RegExp(`^(?:${TURN_START})`);
const NEXT_TURN = new RegExp(
  `^(?:${TURN_START}|<s>|(?:[Uu]ser|[Hh]uman|[Aa]ssistant|[Ss]ystem|model)\\s*(?::|\\n))`,
);

/** Removes the mark that ends the answer's turn or begins another one, with the turns that the model invented after it. */
function cutTokens(text: string): string {
  if (!ANY_MARK.test(text)) return text;
  for (const place of listTextSpans(text, TURN_MARK).slice(0, MOST_CUTS)) {
    const before = text.slice(0, place.start);
    const marks = text.slice(place.start);
    const begins = BEGINS_TURN.test(marks);
    if (begins && isNextTurn(text, place, before)) return before.trimEnd();
    if (ENDS_TURN.test(marks) && isTurnEnd(text, place, before)) return before.trimEnd();
    // An answer about turns contains one that begins.
    if (begins) return text;
  }
  return text;
}

function isTurnEnd(text: string, place: TextSpan, before: string): boolean {
  const after = text.slice(place.end);
  // This ends text that HTML strikes out.
  if (text.slice(place.start, place.end) === '</s>' && before.lastIndexOf('<s>') > before.lastIndexOf('</s>'))
    return false;
  const remainder = trimText(after.replace(MORE_TOKENS, ''));
  if (remainder === '') return true;
  if (isInCode(text, place) || isQuoted(text, place)) return false;
  const isComplete = /[.!?…]$/.test(before) || WORD_LINE.test(before);
  return NEXT_TURN.test(remainder) || (isComplete && /^(?:\S|\s*\n)/.test(after));
}

/** Returns true for a mark after an answer that begins another turn, and not an example. */
function isNextTurn(text: string, place: TextSpan, before: string): boolean {
  if (trimText(before) === '' || INTRODUCTION.test(before)) return false;
  return isOutsideSentence(text, place, before);
}

/** Returns true for a mark on a new line, after a sentence or after a line of one word, unless it is code or quoted. */
function isOutsideSentence(text: string, place: TextSpan, before: string): boolean {
  if (!/\n[^\S\n]*$/.test(before) && !/[.!?…。！？)\]"'”’*`]$/.test(before) && !WORD_LINE.test(before))
    return false;
  return !isInCode(text, place) && !isQuoted(text, place);
}

/** A last line that is a score, a letter or another single word. */
const WORD_LINE = /\n[^\S\n]*[\p{L}\p{N}]+$/u;

/** A heading or a colon, which introduce an example. */
const INTRODUCTION = /(?:[:：]\**\s*|(?:^|\n) {0,3}#{1,6} [^\n]*(?:\n\s*)?)$/;

/**
 * Removes the turns that a model invented after its answer in plain text. They are cut and not asked for again, because a server with an unsuitable
 * template sends them with every answer. A drafted dialogue must stay, so several things are required. The line is nothing but a user's label,
 * after an answer without other labels or talk of a dialogue. A short message or an assistant's turn follows, and no other speaker.
 * `cupid validate` names every label that stays.
 */
function cutInventedTurn(text: string): string {
  const label = findLabelLine(text);
  if (label === undefined) return text;
  const before = text.slice(0, label.start);
  const after = text.slice(label.end);
  const marks = listLabels(text.slice(label.start, label.end))[0]?.marks ?? '';
  const isDraft =
    trimText(before) === '' ||
    INTRODUCTION.test(before) ||
    BOLD_TITLE.test(before) ||
    SPEAKER.test(before) ||
    DIALOGUE.test(before) ||
    (!marks.startsWith('#') && MAYBE_DIALOGUE.test(before)) ||
    listLabels(before).some((role) => role.marks === marks && !/^\p{Ll}/u.test(role.name)) ||
    listLabels(after).some(({ name }) => !INVENTED_SPEAKER.test(name));
  return isDraft || !(ASSISTANT.test(after) || isShortMessage(after)) ? text : before.trimEnd();
}

/** Finds the first line that is nothing but the label of a user's turn, outside of code: `### User:`, `**Human:**`, `User:`. */
function findLabelLine(text: string): TextSpan | undefined {
  // Labels of templates have a capital letter; a key of YAML has none.
  if (!/User|USER|Human|HUMAN/.test(text)) return undefined;
  const label = /^ {0,3}(?:#{1,6} *)?\**(?:User|USER|Human|HUMAN)\**[:：]\**[^\S\n]*$/gm;
  return listTextSpans(text, label).find((place) => !isInCode(text, place));
}

/** A line in bold type that ends no sentence. */
const BOLD_TITLE = /(?:^|\n) {0,3}\*\*[^*\n]*[^*\n.!?]\*\*\s*$/;

/** The label of a speaker at the beginning of a line. */
const SPEAKER =
  /^ {0,3}(?:#{1,6} *|> *|[-*+] +)?\**(?:user|human|assistant|ai|bot|chatbot|agent|customer|client|support|system)\**[:：]/im;

/** Words of an answer that drafts a dialogue. */
const DIALOGUE = /\b(?:dialog(?:ue)?s?|transcripts?|role-?plays?|screenplays?|few-shot)\b/i;

/** Words of many other answers. They count only before a label without `#`, because templates begin turns with `### User:` and drafts hardly do. */
const MAYBE_DIALOGUE = /\b(?:scripts?|conversations?|chats?|chatbots?|interviews?|scenes?)\b/i;

const INVENTED_SPEAKER = /^(?:user|human|assistant|ai|ai assistant|system|model)$/i;

/** The label of an assistant's turn at the beginning of a line. */
const ASSISTANT = /^ {0,3}(?:#{1,6} *)?\**(?:assistant|ai|ai assistant|model)\**[:：]/im;

/** Returns true for one paragraph of few words that is no list and no heading: all that users write into an invented turn. */
function isShortMessage(text: string): boolean {
  const message = trimText(text.replace(RULE_END, ''));
  return message.length <= LONGEST_MESSAGE && !/^(?:[-*+•#|>]|\d+[.)])\s|\n\s*\n|\n {0,3}#/.test(message);
}

/** Characters of a request of about eighty words. */
const LONGEST_MESSAGE = 500;

/** Lists the names before a colon that are alone on their line, with the marks of their headings or bold type. */
function listLabels(text: string): { readonly marks: string; readonly name: string }[] {
  return [...text.matchAll(/^ {0,3}(#{0,6}) *(\**)(\p{L}[\p{L} ]{0,20})\**[:：]\**[^\S\n]*$/gmu)].map(
    ([, hashes = '', stars = '', name = '']) => ({ marks: hashes + stars, name }),
  );
}

/** Finds the first line that begins another turn, by a template's mark or in plain text. In code and in quotation marks, none counts. */
export function findTurnLine(text: string): string | undefined {
  const begins = (place: TextSpan) =>
    BEGINS_TURN.test(text.slice(place.start)) && isOutsideSentence(text, place, text.slice(0, place.start));
  const marks = ANY_MARK.test(text) ? listTextSpans(text, TURN_MARK).slice(0, MOST_CUTS) : [];
  const places = [marks.find(begins), findLabelLine(text)].flatMap((place) => place ?? []);
  const [first] = places.toSorted((a, b) => a.start - b.start);
  return first === undefined ? undefined : text.slice(first.start, first.end).trim();
}
