import { BadContent } from '../bounds';

/**
 * Decompresses an LZ4 frame, as Feather and Arrow IPC files hold them (https://github.com/lz4/lz4/blob/dev/doc/lz4_Frame_format.md).
 * Checksums are not checked. Parquet's LZ4 is another form, which its reader knows.
 * @throws BadContent when the bytes are not one whole frame of this many bytes.
 */
export function decompressLz4Frame(frame: Uint8Array, sizeBytes: number): Uint8Array {
  const view = new DataView(frame.buffer, frame.byteOffset, frame.byteLength);
  if (view.getUint32(0, true) !== MAGIC) throw new BadContent('not an LZ4 frame');
  const flags = view.getUint8(4);
  let at = 6;
  const output = new DecodedBlock(sizeBytes);
  if ((flags & FLAG.contentSize) !== 0) at += 8;
  if ((flags & FLAG.dictionary) !== 0) at += 4;
  // The header's checksum.
  at += 1;
  for (let size = view.getUint32(at, true); size !== 0; size = view.getUint32(at, true)) {
    at += 4;
    const length = size & ~UNCOMPRESSED;
    if (at + length > frame.length) throw new BadContent('an LZ4 frame is cut off');
    const block = frame.subarray(at, at + length);
    if ((size & UNCOMPRESSED) === 0) unpackBlock(block, output);
    else output.append(block);
    at += length + ((flags & FLAG.blockChecksum) === 0 ? 0 : 4);
  }
  return output.taken();
}

const MAGIC = 0x184d2204;
const FLAG = { blockChecksum: 0x10, contentSize: 0x08, dictionary: 0x01 } as const;
const UNCOMPRESSED = 0x8000_0000;

/** Unpacks a block, in which literals and copies of earlier content alternate. Copies may reach into earlier blocks. */
function unpackBlock(block: Uint8Array, output: DecodedBlock): void {
  let at = 0;
  const next = (): number => {
    const byte = block[at];
    if (byte === undefined) throw new BadContent('an LZ4 block is cut off');
    at += 1;
    return byte;
  };
  const lengthFrom = (nibble: number): number => {
    let length = nibble;
    for (let byte = nibble === 15 ? 255 : 0; byte === 255; length += byte) byte = next();
    return length;
  };
  while (at < block.length) {
    const token = next();
    const literals = lengthFrom(token >> 4);
    if (at + literals > block.length) throw new BadContent('an LZ4 block is cut off');
    output.append(block.subarray(at, at + literals));
    at += literals;
    // The last sequence has no copy.
    if (at === block.length) return;
    const distance = next() | (next() << 8);
    output.repeat(distance, lengthFrom(token & 15) + SHORTEST_COPY);
  }
}

const SHORTEST_COPY = 4;

class DecodedBlock {
  readonly #bytes: Uint8Array;
  #length = 0;

  constructor(sizeBytes: number) {
    this.#bytes = new Uint8Array(sizeBytes);
  }

  append(bytes: Uint8Array): void {
    this.#require(bytes.length);
    this.#bytes.set(bytes, this.#length);
    this.#length += bytes.length;
  }

  /** Appends what stands `distance` before the end; the copy may overlap itself. */
  repeat(distance: number, length: number): void {
    if (distance === 0 || distance > this.#length) throw new BadContent('an LZ4 copy reaches too far back');
    this.#require(length);
    const end = this.#length + length;
    for (; this.#length < end; this.#length += 1) {
      this.#bytes[this.#length] = this.#bytes[this.#length - distance] ?? 0;
    }
  }

  taken(): Uint8Array {
    if (this.#length < this.#bytes.length) throw OTHER_SIZE;
    return this.#bytes;
  }

  #require(byteCount: number): void {
    if (this.#length + byteCount > this.#bytes.length) throw OTHER_SIZE;
  }
}

const OTHER_SIZE = new BadContent('an LZ4 frame has a different size than it claims');
