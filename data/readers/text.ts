/** The bytes as text, or unchanged when they are not UTF-8: the check of the value then names its row and field. */
export function decodeText(bytes: Uint8Array): string | Uint8Array {
  try {
    return decoder.decode(bytes);
  } catch {
    return bytes;
  }
}

// The libraries' own decoders replace what they cannot read, and swallow U+FEFF at the beginning of a text.
const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
