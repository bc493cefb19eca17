/** Encodes a zstd frame of zeros of this length, in runs of 128 KB. */
export function encodeZstdZeros({ length }: Pick<Uint8Array, 'length'>): Buffer {
  const blocks: Buffer[] = [];
  for (let left = length; left > 0; left -= BLOCK_BYTES) {
    const isLast = left <= BLOCK_BYTES ? 1 : 0;
    const header = Buffer.alloc(4);
    header.writeUInt32LE((Math.min(left, BLOCK_BYTES) << 3) | RUN | isLast);
    blocks.push(header);
  }
  return Buffer.concat([Buffer.from(`${ZSTD_MAGIC}0038`, 'hex'), ...blocks]);
}

export const ZSTD_MAGIC = '28b52ffd';
const BLOCK_BYTES = 131_072;
const RUN = 2;
