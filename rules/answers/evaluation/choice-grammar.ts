import { getFields } from '../form/shape';
import { formatLetter } from '../../../schemas/evaluation/choice';
import { splitIntoLines } from '../../../schemas/text/lines';

/*
 * The grammar of a choice, which docs/evaluation.md shows with examples. All else is ambiguous, and asked again.
 *
 * - `choice = [reasoning] statement tail`
 * - `reasoning =` lines that begin with no statement
 * - `statement = [introduction] [label] (letter | text of an option)`, at the beginning of a line
 * - `tail = [text of that option] [confirmation] [bracket] [confidence] (nothing | reason | that statement again, with its tail)`
 * - `bracket =` words that approve of the option, or that its text has; any other may reject it
 * - `reason =` because, since, or a label such as "Reason:", and words that name no other option
 *
 * "A" is also an article. So a letter without a label is a statement only before a tail, the text of an option or a sign:
 * `. : ; , !`, a bracket, a dash.
 */

/** The letter or the text of an option, which a text begins with. */
interface Mention {
  /** Index of the option; -1 for a letter that is none. */
  readonly index: number;
  /** Text after it. */
  readonly rest: string;
}

/** A statement that a text begins with. */
interface Statement extends Mention {
  readonly introduction: string;
  /** False for a letter without label, sign or text of an option, which is a statement only before a tail. */
  readonly isCertain: boolean;
}

/** Reads an answer by the grammar. Returns undefined if it names no option, or may name another one. */
export function readChoice(answer: string, options: readonly string[]): number | undefined {
  const words = options.map(listWords);
  const lines = splitIntoLines(removeMarks(spreadJson(answer)));
  const text = lines.join('\n');
  const triedLengths = new Set<number>();
  let start = 0;
  for (const line of lines) {
    const statement = HAS_WORD.test(line) ? findStatement(text.slice(start), words) : undefined;
    start += line.length + 1;
    if (statement === undefined) continue;
    const { index, rest, introduction, isCertain } = statement;
    const hasTail = isTail(rest, index, words, triedLengths);
    if (!isCertain && !hasTail) continue;
    const isClear = index >= 0 && hasTail && !namesAnother(introduction, index, words);
    return isClear && !namesAnother(rest, index, words) ? index : undefined;
  }
  return undefined;
}

/** Every statement contains one of these. A line without any may precede thousands of its kind, so it is not searched. */
const HAS_WORD = /[\p{L}\p{M}\p{N}]/u;

/** Returns an answer in JSON as lines of its names and values, without comments and numbers; any other text unchanged. */
function spreadJson(answer: string): string {
  const [, json = answer] = JSON_FENCE.exec(answer.trim()) ?? [];
  if (!/^\s*\{/.test(json)) return answer;
  try {
    const fields = getFields(JSON.parse(json)) ?? {};
    return Object.entries(fields)
      .filter(([name, value]) => !COMMENT.test(name) && !NO_TEXT.has(value) && typeof value !== 'number')
      .map(([name, value]) => `${name}: ${typeof value === 'string' ? value : JSON.stringify(value)}`)
      .join('\n');
  } catch {
    return answer;
  }
}

/** Names of fields that comment on the choice. Other letters in them are no second choice, because the choice has a field of its own. */
const COMMENT =
  /confiden|(?<!un)certainty|probab|likelihood|reason(?!able)|rationale|justif|expla|analys|thought|thinking|evidence/i;

const NO_TEXT: ReadonlySet<unknown> = new Set([null, '']);

/** A fence around an object. No two of its parts match the same white space, so that long runs of it take linear time. */
const JSON_FENCE = /^```(?:json)?[^\S\n]*\n\s*(\{[^]*\})[^\S\n]*\n\s*```$/i;

/** Removes marks of type, and writes every character in its simplest form: full-width letters and signs, letters in circles and squares. */
function removeMarks(answer: string): string {
  return answer
    .normalize('NFKC')
    .replaceAll(SYMBOL, (symbol) => formatLetter(((symbol.codePointAt(0) ?? 0) - FIRST_SYMBOL) % 32))
    .replaceAll(/\\(?:boxed|fbox|text\w*|math\w+|bf)\b|\\[()[\]]|[*_`$]/g, '')
    .replaceAll(/<(b|i|u|em|strong|code|p|h[1-6]|big|mark)>([^<]*)<\/\1>/g, '$2')
    .replaceAll(/<\/?(?:final_?)?(?:answer|choice|option|letter|response|output|result)>/gi, '\n')
    .replaceAll(/^[ \t]*[-=]{3,}[ \t]*$/gm, '');
}

/** White letters on dark circles and squares, which Unicode gives no simpler form. The second alphabet begins 32 places after the first. */
const SYMBOL = /[\u{1F150}-\u{1F169}\u{1F170}-\u{1F189}]\uFE0F?/gu;
const FIRST_SYMBOL = 0x1_f1_50;

/** Words of an option, folded. */
type Words = readonly string[];

/** Lists the words of an option, to be found whatever their case and the signs between them. */
function listWords(option: string): Words {
  return (option.normalize('NFKC').match(WORD) ?? []).map(fold);
}

const WORD = /[\p{L}\p{M}\p{N}]+/gu;

/** Returns a word in upper case, which is one for all forms of a letter. */
function fold(word: string): string {
  return word.toUpperCase();
}

/** Options of fewer words say too little without their last one. */
const FEWEST_WORDS = 4;

/** Finds the option whose text a text begins with; undefined if several do without their last word. */
function findMention(text: string, options: readonly Words[]): Mention | undefined {
  const [completeMention] = options
    .flatMap((words, index) => cutWords(text, words, index))
    .toSorted((a, b) => a.rest.length - b.rest.length);
  if (completeMention !== undefined) return completeMention;
  const shortened = options.flatMap((words, index) =>
    words.length < FEWEST_WORDS
      ? []
      : cutWords(text, words.slice(0, -1), index).filter(({ rest }) => LINE_END.test(rest)),
  );
  return shortened.length === 1 ? shortened[0] : undefined;
}

/** Signs before the end of a line. */
const LINE_END = /^[\s.…"'“”’»)]*(?:\n|$)/;

/** Cuts the words from the beginning of a text; empty if it begins otherwise. */
function cutWords(text: string, words: Words, index: number): Mention[] {
  let end = 0;
  for (const [at, word] of words.entries()) {
    const next = at === 0 ? FIRST_WORD : NEXT_WORD;
    next.lastIndex = end;
    const [match, matchedWord = ''] = next.exec(text) ?? [];
    if (match === undefined || fold(matchedWord) !== word) return [];
    end += match.length;
  }
  return words.length === 0 ? [] : [{ index, rest: text.slice(end) }];
}

/** A word after signs: those after an option's letter, quotation marks, brackets, and a line break. */
const FIRST_WORD = /[\s.:;,)\]>(["'“”„‘’«»–—-]*([\p{L}\p{M}\p{N}]+)/uy;
const NEXT_WORD = /[^\p{L}\p{M}\p{N}]+([\p{L}\p{M}\p{N}]+)/uy;

/** Finds the statement that a text begins with. */
function findStatement(text: string, options: readonly Words[]): Statement | undefined {
  const prefix = PREFIX.exec(text);
  const { introduction = '', label = '' } = prefix?.groups ?? {};
  const body = text.slice(prefix?.[0].length ?? 0);
  const optionMention = findMention(body, options);
  if (optionMention !== undefined) return { ...optionMention, introduction, isCertain: true };
  const [mention = '', letter, close = ''] = LETTER.exec(body) ?? [];
  if (letter === undefined) return undefined;
  const index = options.findIndex((_, at) => formatLetter(at) === letter.toUpperCase());
  const tail = body.slice(mention.length);
  const isCertain =
    /[:=]|(?<!\b(?:it|that) )\bis\b/i.test(label) ||
    close !== '' ||
    SIGN.test(tail) ||
    findMention(tail, options) !== undefined;
  return { index, rest: tail, introduction, isCertain };
}

/** The word "answer" and its like, in languages in which models answer. */
const NOUNS = [
  'answer|option|choice|letter|preference|selection|pick|choose',
  'antwort|auswahl|wahl|réponse|choix|respuesta|opción|elección|risposta|scelta|opzione|resposta|opção|escolha|antwoord|keuze',
  'svar|val|valg|vastaus|odpowiedź|odpověď|válasz|răspuns(?:ul)?|απάντηση|ответ|вариант|відповідь|cevap|yanıt|jawaban|pilihan|đáp án|lựa chọn',
  '答案|选项|選項|选择|選擇|回答|答え|解答|選択肢?|答|정답|답|선택|الإجابة|الاجابة|جواب|תשובה|उत्तर|คำตอบ',
].join('|');

const ADJECTIVES = [
  'final|best|correct|right|most likely|likeliest|chosen|selected|preferred',
  'richtige|beste|endgültige|正确|正確|最终|最終|最佳|правильный|верный',
].join('|');
const LATE_ADJECTIVES = 'correcta|correcte|corretta|correta|final|finale';
const IS = '(?:is|(?:would|must|should|has to) be)';
const COPULAS = `(?:(?:${IS}|ist|est|es|è|é|er|är|jest|είναι)(?![\\p{L}\\p{M}])|是|为|為|は|는|은)`;
const ARTICLES = 'my|the|your|die|meine|la|ma|il|mi|a minha|minha|de|het';
const ADVERBS = 'clearly|definitely|therefore|thus|probably|most likely|likely';
const OPINION = "i(?: would|['’]d)? (?:think|believe|guess|say)(?: that)? |我(?:认为|認為|觉得|覺得)";
const DEMONSTRATIVE = `(?:(?:it|that)(?: ${IS}|['’]s)|c['’]est|es ist)(?: (?:${ADVERBS}))? (?:(?:option|letter) )?|是`;

/**
 * Marks before a statement, its introduction, its label. An introduction that could be a condition or a negation is none, so that "I doubt that the
 * answer is B" is no statement.
 */
const PREFIX = new RegExp(
  `^[\\s>#•*+→⇒=✅✔☑👉➡\\uFE0F–—-]*(?<introduction>(?:(?:so|thus|therefore|hence|overall|finally|in conclusion|in summary)[, ]\\s*|(?:based on|given|considering|according to|from|looking at|judging by)[^\\n.!?]*?,\\s*)*)` +
    `(?<label>(?:${OPINION})?(?:${DEMONSTRATIVE})?(?:["'{[(]*(?:(?:${ARTICLES})\\s+)?(?:(?:${ADJECTIVES})\\s*)*(?:${NOUNS})(?:\\s+(?:${LATE_ADJECTIVES}))?["']*\\s*(?:[:=]|[–—-]\\s|${COPULAS}:?)?\\s*(?:(?:${ADVERBS}) )?(?:(?:option|choice|letter) )?` +
    `|i(?: would|['’]d|['’]ll)? (?:choose|chose|pick|select|opt for|go with|went with)(?: (?:option|choice|letter))?:? ` +
    `|(?:因此|所以|故)?我?[会會应應]?[该該]?(?:选择?|選擇?):?\\s*` +
    `|the (?:${ADJECTIVES})(?: one)?(?: is|:) )?)`,
  'iu',
);

/** A letter in any brackets. A letter in a word, or before an apostrophe, is none. */
const LETTER =
  /^[([{<"'“„‘«「【]*([A-Z])(?![\p{L}\p{M}\p{N}'’](?![\s)\]},.:]|$))(["'”’»」】]*[)\]}>]+["'}]*|["'”“’»」】]+)?/iu;

/** Signs after a letter that make it a statement. */
const SIGN = /^\s*(?:$|\n|\(|[.:;,!](?=\s|["'“”(]|$)|[–—]|-\s)/;

/**
 * Returns true if what follows a statement leaves it as it is.
 * @param triedLengths lengths of what was left in earlier calls, which all returned false; repeated statements are tried only once
 */
function isTail(tail: string, index: number, options: readonly Words[], triedLengths: Set<number>): boolean {
  let left = tail;
  while (!triedLengths.has(left.length)) {
    triedLengths.add(left.length);
    const text = findMention(left, options);
    if (text !== undefined && text.index !== index) return false;
    const unconfirmed = (text?.rest ?? left).replace(CONFIRMATION, '');
    left = removeApproval(unconfirmed, index, options).replace(CONFIDENCE, '');
    if (NOTHING.test(left) || REASON.test(left)) return true;
    // The text of the option may follow a bracket.
    if (left.length < unconfirmed.length) continue;
    const [lineEnd] = /^[^\p{L}\p{N}]*\n/u.exec(left) ?? [];
    if (lineEnd === undefined) return false;
    const again = findStatement(left.slice(lineEnd.length), options);
    if (again?.index !== index || namesAnother(again.introduction, index, options)) return false;
    left = again.rest;
  }
  return false;
}

/** Signs and approving symbols. A question mark or a cross takes a choice back. */
const NOTHING = /^(?:[\s.。:;,!)\]}>"'“”’»」】…✅✔☑🏆-]|\uFE0F)*$/u;

const CONFIRMATION =
  /^["'”’)\]]*\s+(?:(?:is|seems|would be)\s+(?:(?:clearly|definitely|most likely|probably)\s+)?(?:the\s+)?(?:(?:most\s+)?(?:correct|right|best|likely|appropriate|accurate|suitable|fitting)(?:\s+(?:answer|option|choice|one|fit|match|preference))?|answer|choice|one)|(?:fits|matches|suits)\s+best|applies|ist\s+(?:richtig|korrekt)|es\s+correcta|est\s+(?:correcte|juste))(?![\p{L}\p{N}])/iu;

const CONFIDENCE =
  /^[\s.,;:#>–—-]*(?:confidence|certainty)(?:\s+(?:level|score))?["']?[\s:=–—-]*(?:is\s+)?(?:(?:very|fairly|quite)\s+)?(?:high|medium|moderate|low|\d+(?:[.,]\d+)?)(?:\s*(?:%|percent|\/\s*\d+|out of \d+))?(?![\p{L}\p{N}])/iu;

/** Removes a bracket that approves of its option. Any other remains: "A (superseded)" is no choice, in whatever words it says so. */
function removeApproval(text: string, index: number, options: readonly Words[]): string {
  const [bracket, content] = BRACKET.exec(text) ?? [];
  if (bracket === undefined || content === undefined) return text;
  const words = listWords(content);
  const otherWords = options.filter((_, at) => at !== index).flat();
  const approves = (word: string) =>
    options[index]?.includes(word) === true ||
    APPROVING.has(word) ||
    (DESCRIBING.has(word) && !otherWords.includes(word));
  const isApproval =
    words.every((word) => approves(word) || NEUTRAL.has(word) || /^\p{N}+$/u.test(word)) &&
    words.some((word) => !NEUTRAL.has(word) && approves(word)) &&
    !words.some((word) => REJECTING.has(word));
  return isApproval ? text.slice(bracket.length) : text;
}

/** A bracket without a question mark or a cross. */
const BRACKET = /^[\s.,:]*\(([\p{L}\p{M}\p{N}\s.,:;!%/'"“”’–—-]+)\)/u;

const APPROVING: ReadonlySet<string> = new Set(
  listWords(
    `correct right best better chosen selected preferred recommended final answer choice option pick preference match matches fit fits
    applies most likely likeliest probably clear clearly definitely strongest closest suitable appropriate accurate valid still yes very
    confident confidence certain certainty sure probability what user wants`,
  ),
);

/** Words that approve of an option unless another option has them. */
const DESCRIBING: ReadonlySet<string> = new Set(
  listWords(
    `current currently new newer newest updated latest recent recently relevant consistent high session concise brief short detailed
    structured formal`,
  ),
);

const NEUTRAL: ReadonlySet<string> = new Set(
  listWords('an a the my this it its s is has been so one user i am and of for in at here since'),
);

/** Words that may reject an option although its own text has them. */
const REJECTING: ReadonlySet<string> = new Set(
  listWords(
    'no not old out outdated stale wrong was before earlier previous previously former past original until',
  ),
);

/** Words with which a reason begins. A dash or a full stop introduces none: "A - outdated" and "A. Rejected" are no choices. */
const REASON = new RegExp(
  `^["'”’()\\]}>\\s.,;:#–—-]*(?:${[
    // "Since" before a participle gives no reason: "A, since replaced".
    '(?:because|since(?!\\s+(?:then|been|gone|withdrawn|overridden|\\p{L}+ed)(?!\\p{L}))|due to|given that|for the reason that)(?![\\p{L}\\p{N}])',
    'as (?:it|they|she|he|this|that|the|her|his|their)(?![\\p{L}\\p{N}])',
    '(?:reason(?:ing|s)?|explanation|rationale|justification|analysis|why)["\']?\\s*[:–—-]',
    // A heading.
    '(?<=#[ ]?)(?:reason(?:ing|s)?|explanation|rationale|justification)\\s*\\n',
    '(?:weil|denn|parce que|car|puisque|porque|ya que|perché|poiché|pois|omdat|want|fordi|eftersom|ponieważ|потому что|так как|çünkü|karena)(?![\\p{L}\\p{N}])',
    '(?:begründung|grund|raison|justificación|razón|motivo|motivazione|причина|理由|原因|이유)\\s*:',
    '因为|因為|由于|なぜなら',
  ].join('|')})`,
  'iu',
);

/** Returns true if a text names another option than this one, by its letter or its words, or takes the choice back. */
function namesAnother(text: string, index: number, options: readonly Words[]): boolean {
  const remainder = removeWords(text, options[index] ?? []);
  if (options.some((words, at) => at !== index && findWords(remainder.words, words) >= 0)) return true;
  if (RETRACTION.test(remainder.text)) return true;
  const letters = options.map((_, at) => formatLetter(at)).filter((_, at) => at !== index);
  return letters.some((letter) => namesLetter(remainder.text, letter));
}

/** Removes an option's words wherever they stand one after the other. Returns the text with a sign in their place, and its other words. */
function removeWords(text: string, words: Words): { readonly text: string; readonly words: Words } {
  const matches = [...text.matchAll(WORD)];
  const folded = matches.map(([word]) => fold(word));
  const otherWords: string[] = [];
  let otherText = '';
  let end = 0;
  for (let at = 0; ;) {
    const next = findWords(folded, words, at);
    const [first, last] = [matches[next], matches[next + words.length - 1]];
    if (first === undefined || last === undefined) {
      return { text: otherText + text.slice(end), words: [...otherWords, ...folded.slice(at)] };
    }
    otherWords.push(...folded.slice(at, next));
    otherText += `${text.slice(end, first.index)}¶`;
    end = last.index + last[0].length;
    at = next + words.length;
  }
}

/** Returns the first place from `from` where these words stand one after the other; -1 if there is none. */
function findWords(text: Words, words: Words, from = 0): number {
  if (words.length === 0) return -1;
  for (let at = from; at <= text.length - words.length; at += 1) {
    if (words.every((word, offset) => text[at + offset] === word)) return at;
  }
  return -1;
}

/** Words that take an answer back. */
const RETRACTION =
  /\b(?:wait|actually|correction|scratch that|on second thoughts?|otherwise|i meant|let me re\w+|not (?:the |an? )?(?:right|correct|best|answer|choice|valid)|either|neither|both (?:are|fit|work|would|could))\b|\bno,/i;

/** Returns true if a text names a letter: standing alone, in brackets or quotation marks, or after "option" and its like. */
function namesLetter(text: string, letter: string): boolean {
  const small = letter.toLowerCase();
  if (
    new RegExp(
      `[(["'“‘<]${small}[)\\]"'”’>]|(?:option|answer|choice|letter)\\s+["'(]*${buildLoneLetter(small)}`,
      'iu',
    ).test(text)
  )
    return true;
  if (letter !== 'A') return new RegExp(buildLoneLetter(letter), 'iu').test(text);
  return new RegExp(
    `(?<!${SENTENCE_START})${buildLoneLetter(letter)}|${buildLoneLetter(letter)}(?!${AFTER_ARTICLE})`,
    'u',
  ).test(text);
}

/** Builds the pattern of a letter that is no word's part. */
function buildLoneLetter(letter: string): string {
  return `(?<![\\p{L}\\p{M}\\p{N}'’])${letter}(?![\\p{L}\\p{M}\\p{N}]|['’-]\\p{L})`;
}

/** The beginning of a sentence, where "A" may be an article. */
const SENTENCE_START = '(?:^|[.!?:("“\\n])\\s*';

/** A word that can follow an article. One that may be a verb or an adverb is none ("A fits", "A clearly wins"), so that such an "A" is a letter. */
const AFTER_ARTICLE =
  '\\s+(?!(?:is|was|has|had|did|does|can|could|would|will|may|might|must|should|and|or|but|nor|not|to|in|on|at|of|by|then|than|too|also|only|still|alone|instead|over|for|with|without|because|since|as|from|rather|better|best|came|became|got|made|took|won|lost|went|said|if|when|while|which|that)(?![\\p{L}])|\\p{Ll}*(?:s|ed|ly)(?![\\p{L}]))\\p{Ll}{2,}';
