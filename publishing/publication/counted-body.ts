import { z } from 'zod';

/**
 * The body of a request, such that the Hub's client hears how much of it was sent, if it asked to. It goes out slice by slice,
 * which `fetch` needs on slow connections: it waits five minutes for an answer from the last time that it could send something,
 * and to it a block of 64 MB in one piece is sent once.
 */
export function countedBody(init: RequestInit): Pick<RequestInit, 'body'> {
  const { body } = init;
  const { progressHint: hint } = hintSchema.parse(init);
  if (hint === undefined || !(body instanceof Blob || body instanceof Uint8Array)) return {};
  const { progressCallback: told, part, numParts } = hint;
  if (part === undefined || numParts === undefined) return { body: new CountedBody(body, told) };
  // The parts of a file share one callback, by which they know each other.
  const shares = sharesOfParts.get(told) ?? new Map<number, number>();
  sharesOfParts.set(told, shares);
  return {
    body: new CountedBody(body, (share) => {
      shares.set(part, share);
      told([...shares.values()].reduce((sum, one) => sum + one, 0) / numParts);
    }),
  };
}

type Told = (share: number) => void;

const sharesOfParts = new WeakMap<Told, Map<number, number>>();

const hintSchema = z.object({
  progressHint: z
    .object({
      progressCallback: z.custom<Told>((told) => typeof told === 'function'),
      part: z.number().optional(),
      numParts: z.number().optional(),
    })
    .optional(),
});

/** What is sent, and how much of it has been: bytes that are told of while they are read, so that their number is still known beforehand. */
class CountedBody extends Blob {
  override readonly size: number;
  readonly #bytes: Blob | Uint8Array;
  readonly #told: Told;

  /** @param told called with the share (0 to 1) that was read */
  constructor(bytes: Blob | Uint8Array, told: Told) {
    super([]);
    this.size = bytes instanceof Uint8Array ? bytes.length : bytes.size;
    this.#bytes = bytes;
    this.#told = told;
  }

  override stream(): ReturnType<Blob['stream']> {
    return ReadableStream.from(this.#counted());
  }

  async *#counted(): AsyncGenerator<Uint8Array> {
    const { size } = this;
    let sent = 0;
    for await (const part of partsOf(this.#bytes)) {
      yield part;
      sent += part.length;
      this.#told(sent / size);
    }
  }
}

function partsOf(bytes: Blob | Uint8Array): AsyncIterable<Uint8Array> | Iterable<Uint8Array> {
  return bytes instanceof Uint8Array ? slicesOf(bytes) : bytes.stream();
}

function* slicesOf(bytes: Uint8Array): Generator<Uint8Array> {
  for (let from = 0; from < bytes.length; from += SLICE) yield bytes.subarray(from, from + SLICE);
}

const SLICE = 1024 ** 2;
