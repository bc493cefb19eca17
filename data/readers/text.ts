/** Decodes UTF-8. Other bytes are returned unchanged, and the check of the value then names their row and field. */
export function decodeText(bytes: Uint8Array): string | Uint8Array {
  try {
    return decoder.decode(bytes);
  } catch {
    return bytes;
  }
}

// The libraries' own decoders replace what they cannot read, and swallow U+FEFF at the beginning of a text.
const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
