import { z } from 'zod';

/**
 * The body of a request, sent piece by piece, such that the Hub's client hears how much of it was sent, if it asked to. On slow
 * connections `fetch` needs the pieces: it waits five minutes for an answer from the last time that it could send something,
 * and a block of 64 MB in one piece is sent once.
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

/** What is sent, counted while it is read, so that its size is still known beforehand. */
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
