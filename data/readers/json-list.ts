import { readBlocks } from '../store/own-file';
import type { NamedFile } from '../store/named-file';
import { createReadError, DataError } from '../store/data-error';
import { formatCount } from '../../schemas/text/count-text';
import { MAX_LINE_BYTES } from './lines';

/**
 * Reads the items of a file that is one JSON list, as bytes, so that one that is not JSON can be named. Memory holds one item, of at most
 * 64 MB.
 * @throws DataError when the file cannot be read, breaks off, or goes on after the list
 */
export async function* readListItems({ path, name, within }: NamedFile): AsyncGenerator<Buffer> {
  const list = new ListSplitter(name);
  try {
    for await (const chunk of readBlocks(path, within)) yield* list.split(chunk);
  } catch (error) {
    throw error instanceof DataError ? error : createReadError(name, error);
  }
  list.end();
}

/** Cuts a JSON list at the commas between its items. */
class ListSplitter {
  #open: Buffer[] = [];
  #openBytes = 0;
  #items = 0;
  /** Number of open brackets and braces at the next byte: 0 before and after the list, 1 between its items. */
  #depth = 0;
  #inText = false;
  #isEscaped = false;
  #isOver = false;

  constructor(private readonly name: string) {}

  *split(chunk: Buffer): Generator<Buffer> {
    let from = 0;
    for (let at = 0; at < chunk.length; at += 1) {
      const byte = chunk[at] ?? 0;
      if (this.#isOver) {
        this.#requireBlank(byte);
      } else if (this.#inText) {
        if (this.#isEscaped) this.#isEscaped = false;
        else if (byte === BACKSLASH) this.#isEscaped = true;
        else if (byte === QUOTE) this.#inText = false;
      } else if (byte === QUOTE) {
        this.#inText = true;
      } else if (OPENING.has(byte)) {
        this.#depth += 1;
        if (this.#depth === 1) from = at + 1;
      } else if (byte === COMMA && this.#depth === 1) {
        yield this.#take(chunk.subarray(from, at));
        from = at + 1;
      } else if (CLOSING.has(byte)) {
        this.#depth -= 1;
        if (this.#depth === 0) {
          const last = this.#take(chunk.subarray(from, at));
          if (this.#items > 1 || !isBlankItem(last)) yield last;
          this.#isOver = true;
        }
      }
    }
    if (this.#isOver || this.#depth === 0) return;
    this.#open.push(chunk.subarray(from));
    this.#openBytes += chunk.length - from;
    if (this.#openBytes > MAX_LINE_BYTES) throw new Error(`item ${this.#items + 1} is longer than 64 MB`);
  }

  /** @throws DataError when the list is not closed */
  end(): void {
    if (this.#isOver) return;
    throw new DataError(
      `${this.name} ends within its JSON list, after ${formatCount(this.#items, 'complete item')}. Download or write it again.`,
    );
  }

  #take(end: Buffer): Buffer {
    const item = Buffer.concat([...this.#open, end]);
    this.#open = [];
    this.#openBytes = 0;
    this.#items += 1;
    return item;
  }

  #requireBlank(byte: number): void {
    if (BLANKS.has(byte)) return;
    throw new DataError(
      byte === 0x5b
        ? `${this.name} has several JSON lists, one after the other, as Dataset.to_json(lines=False) writes them in batches. ` +
            `Convert it: python -c "import re,sys; s=open(sys.argv[1]).read(); open(sys.argv[1],'w').write(re.sub(r'\\]\\s*\\[', ',', s))" ${this.name} ` +
            '(only where no text holds "]["), or write it with lines=True as .jsonl.'
        : `${this.name} goes on after its JSON list. Download or write it again.`,
    );
  }
}

function isBlankItem(item: Buffer): boolean {
  return item.every((byte) => BLANKS.has(byte));
}

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COMMA = 0x2c;
const OPENING = new Set(Buffer.from('[{'));
const CLOSING = new Set(Buffer.from(']}'));
const BLANKS = new Set(Buffer.from(' \t\r\n'));
