import { LRUCache } from 'lru-cache';
import type { Usage } from '../schemas/model/usage';
import { omitUndefined } from '../schemas/omit-undefined';
import { formatNumber } from '../schemas/text/count-text';
import { ModelError } from './errors/error';
import { REMEDIES, type Caller } from './errors/failure';
import type { ModelAnswer, ModelRequest } from './model';
import type { Send } from './parameters';

/**
 * Returns a send whose answers come from whole prompts. Before the first answer is discarded, its prompt is read again: a server that cuts it off
 * reads the same number of tokens, and one that leaves cached tokens out of its counts does not. Counts of the second kind are then ignored.
 */
export function requireWholePrompts(caller: Caller, send: Send): Send {
  const describeExcess = createWindowCheck();
  let isCut: boolean | undefined;
  return async (request, parameters, signal) => {
    const answer = await send(request, parameters, signal);
    const excess = isCut === false ? undefined : describeExcess(answer, request, parameters.tokenLimit);
    if (excess === undefined) return answer;
    let { usage } = answer;
    if (isCut === undefined) {
      const again = await send(request, parameters, signal).catch((error: unknown) => {
        throw error instanceof ModelError ? chargeAlso(error, usage) : error;
      });
      isCut = again.usage.input === usage.input;
      usage = addUsages(usage, again.usage);
    }
    if (!isCut) return { ...answer, usage };
    const message = `${caller.spec} ${excess}. ${REMEDIES['window-exceeded']}`;
    throw new ModelError('window-exceeded', message, undefined, { usage });
  };
}

/** Adds the usage of an earlier answer to the error of the same call. */
function chargeAlso(error: ModelError, usage: Usage): ModelError {
  const { kind, message, retryAfterMs, rejected, quota, isPage } = error;
  const total = addUsages(usage, error.usage ?? {});
  return new ModelError(kind, message, retryAfterMs, { rejected, quota, isPage, usage: total });
}

function addUsages(first: Usage, second: Usage): Usage {
  const add = (name: keyof Usage) =>
    first[name] === undefined ? second[name] : first[name] + (second[name] ?? 0);
  return omitUndefined({
    input: add('input'),
    output: add('output'),
    cachedRead: add('cachedRead'),
    cachedWrite: add('cachedWrite'),
    reasoning: add('reasoning'),
  });
}

/**
 * Describes how a server mishandled a request that exceeds its context window, as the rest of a sentence; undefined if it seems to fit.
 * @param tokenLimit requested maximum of tokens of the answer
 */
type DescribeExcess = (
  answer: Pick<ModelAnswer, 'usage' | 'finish'>,
  request: Pick<ModelRequest, 'system' | 'messages'>,
  tokenLimit: number,
) => string | undefined;

/**
 * Creates the check of one model's answers, in the order they arrive. Ollama drops the beginning of a prompt that exceeds its window, and llama.cpp
 * ends the answer at the end of the window; neither reports it. What the check learns of the model is lost with the process, and learned again.
 */
export function createWindowCheck(): DescribeExcess {
  const reading = new ReadTokens();
  return ({ usage, finish }, request, tokenLimit) => {
    const { input = 0, output = 0 } = usage;
    const cut = reading.findCut(input, request);
    if (cut !== undefined) return cut;
    const window = Math.round((input + output) / WINDOW_STEP) * WINDOW_STEP;
    const isFull = window > 0 && Math.abs(input + output - window) <= WINDOW_SLACK;
    if (finish === 'length' && input > 0 && output < tokenLimit * LEAST_WRITTEN && isFull)
      return `stopped after ${formatNumber(output)} of ${formatNumber(tokenLimit)} tokens, because prompt and answer fill its context window of ${formatNumber(window)} tokens`;
    return undefined;
  };
}

/**
 * Tokens that one model reported to have read. A prompt was cut if they are fewer than its pieces explain, at the model's own ratio of tokens to
 * pieces. The ratio is the lowest of its short prompts, which no window cuts; until there are enough of them, it is 1.
 */
class ReadTokens {
  #shortPrompts = 0;
  #ratio = Infinity;
  /** The most tokens reported for a prompt, and the pieces of prompts of clearly different lengths with this count. */
  #largest = 0;
  #lengths: readonly number[] = [];
  #omitsCached = false;

  /** Adds the count of a prompt; 0 if unknown. Returns how the prompt was cut, if it was. */
  findCut(input: number, request: Parameters<DescribeExcess>[1]): string | undefined {
    if (input === 0 || this.#omitsCached) return undefined;
    const pieces = countPieces(request);
    if (pieces < SHORTEST_LONG) {
      if (pieces >= LONGEST_SHORT / 2 && pieces <= LONGEST_SHORT) {
        this.#shortPrompts += 1;
        this.#ratio = Math.min(this.#ratio, (input - MOST_OVERHEAD) / pieces);
      }
      return undefined;
    }
    // No window is as small as this, so the count leaves out what was cached.
    if (input < SMALLEST_WINDOW) {
      this.#omitsCached = true;
      return undefined;
    }
    const before = this.#largest;
    this.#addLength(input, pieces);
    if (this.#lengths.length >= SAME_COUNTS && input === this.#largest)
      return `read exactly ${formatNumber(input)} tokens of each of ${this.#lengths.length} prompts of different lengths, and dropped the rest without an error: that is its context window`;
    const expected = Math.round(pieces * (this.#shortPrompts < LEAST_SHORT_PROMPTS ? 1 : this.#ratio));
    // A window that held a longer prompt holds this one.
    if (input >= expected * LEAST_READ || before >= expected) return undefined;
    return `read ${formatNumber(input)} tokens of a prompt of at least ${formatNumber(expected)}, and dropped the rest without an error: its context window is smaller than the prompt`;
  }

  #addLength(input: number, pieces: number): void {
    if (input > this.#largest) {
      this.#largest = input;
      this.#lengths = [pieces];
    } else if (input === this.#largest && this.#lengths.every((length) => isOtherLength(length, pieces))) {
      this.#lengths = [...this.#lengths, pieces];
    }
  }
}

function isOtherLength(first: number, second: number): boolean {
  return Math.max(first, second) > Math.min(first, second) * OTHER_LENGTH;
}

/**
 * Counts the pieces of a request that tokenizers never join: words with the sign before them, three digits, two ideographs, signs, line breaks.
 * Measured with five tokenizers (GPT-2, cl100k, o200k, Llama 3, Mistral): 1.00 to 1.6 tokens for a piece of English text, up to 6 for other
 * languages, and never fewer than one. Characters vary more: 0.20 to 0.48 tokens for each in English alone.
 */
function countPieces({ system, messages }: Pick<ModelRequest, 'system' | 'messages'>): number {
  return [system, ...messages.map(({ content }) => content)].reduce((sum, text) => {
    const knownCount = pieceCounts.get(text);
    if (knownCount !== undefined) return sum + knownCount;
    const pieces = text.match(NOT_ASCII.test(text) ? PIECE : ASCII_PIECE)?.length ?? 0;
    pieceCounts.set(text, pieces);
    return sum + pieces;
  }, 0);
}

/** Pieces of recent texts, because each turn of a dialogue sends all earlier messages again. */
const pieceCounts = new LRUCache<string, number>({
  maxSize: 4_000_000,
  sizeCalculation: (_, text) => text.length + 1,
});

const NOT_ASCII = /[^\0-\x7F]/;

const PIECE =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}]{1,2}|[^\r\n\p{L}\p{N}]?[\p{L}\p{M}'’]+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+/gu;

/** Finds the same pieces in a text of ASCII characters, in a quarter of the time. Every call is counted. */
const ASCII_PIECE = /[^\r\nA-Za-z0-9]?[A-Za-z']+|[0-9]{1,3}| ?[^\sA-Za-z0-9]+[\r\n]*|\s*[\r\n]+/g;

/** Minimum share of the expected tokens that a server reads if the request fits. Texts of one model differ by less, also in other languages. */
const LEAST_READ = 0.9;

/** Pieces of a prompt that may exceed a window: no server's default is smaller than 2,048 tokens. */
const SHORTEST_LONG = 1_500;

/** Pieces of the longest prompt that no window cuts. Below half of it, the template's own tokens count too much. */
const LONGEST_SHORT = 1_200;

/** Number of short prompts from which the ratio is known. */
const LEAST_SHORT_PROMPTS = 3;

/** Tokens that chat templates add to a request. */
const MOST_OVERHEAD = 64;

/** Smaller counts belong to no window: they leave out cached tokens. */
const SMALLEST_WINDOW = 256;

/** Number of prompts of different lengths with the same, largest count that show a window. */
const SAME_COUNTS = 3;

/** Factor between lengths that cannot have the same number of tokens by chance. */
const OTHER_LENGTH = 1.1;

/** Minimum share of its limit that an answer has if the limit ended it, and not the window. */
const LEAST_WRITTEN = 0.9;

/** Windows are multiples of this; servers count the last tokens differently. */
const WINDOW_STEP = 256;
const WINDOW_SLACK = 4;
