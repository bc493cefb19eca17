/** The function that unpacks zstd into as many bytes as the caller expects, and never takes more memory than that. */
export async function loadZstdUnpacker(): Promise<(packed: Uint8Array, sizeBytes: number) => Uint8Array> {
  // An ES module only.
  const { decompressZstd } = await import('hyparquet-compressors');
  return (packed, sizeBytes) =>
    // The library compares the buffer with a number, for which JavaScript would make a text of all its bytes.
    decompressZstd(packed, Object.assign(new Uint8Array(sizeBytes), { valueOf: () => 0 }));
}
