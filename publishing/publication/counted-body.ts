import * as z from 'zod';

/**
 * Builds a body that is sent in pieces and reports its progress to the Hub's client, if it asked. Slow connections need the pieces. `fetch`
 * waits five minutes for an answer after it last sent something, and a block of 64 MB in one piece is a single send.
 */
export function createCountedBody(init: RequestInit): Pick<RequestInit, 'body'> {
  const { body } = init;
  if (!(body instanceof Blob || body instanceof Uint8Array)) return {};
  const contents = body instanceof Blob ? body : new Blob([body]);
  const { progressHint } = hintSchema.parse(init);
  return {
    body: progressHint === undefined ? contents : new CountedBody(contents, progressHint.progressCallback),
  };
}

type ShareListener = (share: number) => void;

const hintSchema = z.object({
  progressHint: z
    .object({
      progressCallback: z.custom<ShareListener>((listener) => typeof listener === 'function'),
      // Parts of a file, which only stores without Xet ask for, are not counted.
      part: z.undefined().optional(),
    })
    .optional()
    .catch(undefined),
});

/** A body that counts the bytes read from it. As a `Blob`, it has its size beforehand. */
class CountedBody extends Blob {
  override readonly size: number;

  /** @param listener called with the share (0 to 1) that was read */
  constructor(
    private readonly contents: Blob,
    private readonly listener: ShareListener,
  ) {
    super([]);
    this.size = contents.size;
  }

  override stream(): ReturnType<Blob['stream']> {
    return ReadableStream.from(this.#counted());
  }

  async *#counted(): AsyncGenerator<Uint8Array> {
    let sent = 0;
    for await (const part of this.contents.stream()) {
      yield part;
      sent += part.length;
      this.listener(sent / this.size);
    }
  }
}
