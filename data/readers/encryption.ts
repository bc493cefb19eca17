import { openFile } from '../store/own-file';
import type { NamedFile } from '../store/named-file';

/** Returns whether a Parquet file has a readable footer that names an encryption. The library reads its encrypted columns as damaged ones. */
export async function hasEncryptedColumns(file: NamedFile): Promise<boolean> {
  try {
    return namesEncryption(await readFooter(file));
  } catch {
    // A damaged footer names nothing.
    return false;
  }
}

async function readFooter({ path, within }: NamedFile): Promise<Buffer> {
  const handle = await openFile(path, within);
  try {
    const { size } = await handle.stat();
    const tail = await handle.read(Buffer.alloc(8), 0, 8, size - 8);
    const length = tail.buffer.readUInt32LE(0);
    if (length > Math.min(size, MAX_FOOTER_BYTES)) return Buffer.alloc(0);
    const footer = await handle.read(Buffer.alloc(length), 0, length, size - 8 - length);
    return footer.buffer;
  } finally {
    await handle.close();
  }
}

const MAX_FOOTER_BYTES = 64_000_000;

/** Field of Parquet's `FileMetaData`. */
const ENCRYPTION_ALGORITHM = 8;

/** @throws RangeError when the footer is not a struct of Thrift's compact protocol */
function namesEncryption(footer: Buffer): boolean {
  let position = 0;
  return hasField(ENCRYPTION_ALGORITHM);

  /** Reads a struct up to this field, or to its end. */
  function hasField(wantedId: number | undefined): boolean {
    let id = 0;
    for (;;) {
      const header = readByte();
      if (header === 0) return false;
      // A difference of 0 means that the number itself follows, in zigzag form. Parquet has no negative ones.
      id = header >> 4 === 0 ? readVarInt() / 2 : id + (header >> 4);
      if (id === wantedId) return true;
      const type = header & 0x0f;
      // The type of a field states its truth value.
      if (type > 2) skipValue(type);
    }
  }

  function skipValue(type: number): void {
    if (type <= 3) skipBytes(1);
    else if (type <= 6) readVarInt();
    else if (type === 7) skipBytes(8);
    else if (type === 8) skipBytes(readVarInt());
    else if (type === 9 || type === 10) skipList();
    else if (type === 12) hasField(undefined);
    else throw new RangeError(`Parquet has no values of type ${type}.`);
  }

  function skipList(): void {
    const header = readByte();
    const length = header >> 4 === 15 ? readVarInt() : header >> 4;
    for (let index = 0; index < length; index += 1) skipValue(header & 0x0f);
  }

  function readVarInt(): number {
    let value = 0;
    for (let factor = 1; ; factor *= 128) {
      const byte = readByte();
      value += (byte & 0x7f) * factor;
      if (byte < 0x80) return value;
    }
  }

  function readByte(): number {
    const byte = footer.readUInt8(position);
    position += 1;
    return byte;
  }

  function skipBytes(count: number): void {
    position += count;
    if (position > footer.length) throw new RangeError('The footer is cut off.');
  }
}
