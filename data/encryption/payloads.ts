import type { Payload } from '@temporalio/common';
import { temporal } from '@temporalio/proto';
import { z } from 'zod';
import { EncryptionError, type Keyring } from './keys';

/**
 * Encrypts a payload in the form of Temporal's own samples, which other tools know: the whole payload, with AES-256-GCM, and the id of the
 * key beside it.
 */
export function encryptPayload(keys: Keyring, payload: Payload): Payload {
  const { key, data } = keys.encrypt(PayloadMessage.encode(payload).finish());
  return { metadata: { encoding: Buffer.from(ENCRYPTED), [KEY_ID]: Buffer.from(key) }, data };
}

/** The payload itself where it is not encrypted. @throws EncryptionError when the key is missing or another one */
export function decryptPayload(keys: Keyring, payload: Payload): Payload {
  if (!isEncryptedPayload(payload)) return payload;
  const key = toText(payload.metadata?.[KEY_ID]);
  if (key === undefined) throw new EncryptionError('A value of a workflow is encrypted, but names no key.');
  const data = payload.data ?? new Uint8Array();
  return PayloadMessage.decode(keys.decrypt('A value of a workflow', { key, data }));
}

export function isEncryptedPayload({ metadata }: Payload): boolean {
  return toText(metadata?.['encoding']) === ENCRYPTED;
}

/** A payload in protobuf's JSON form: bytes in base64. */
export const jsonPayloadSchema = z.object({
  metadata: z.record(z.string(), z.string()).optional(),
  data: z.string().optional(),
});
type JsonPayload = z.infer<typeof jsonPayloadSchema>;

export function fromJson({ metadata = {}, data = '' }: JsonPayload): Payload {
  const decoded = Object.entries(metadata).map(
    ([name, value]) => [name, Buffer.from(value, 'base64')] as const,
  );
  return { metadata: Object.fromEntries(decoded), data: Buffer.from(data, 'base64') };
}

export function toJson({ metadata, data }: Payload): JsonPayload {
  const encoded = Object.entries(metadata ?? {}).map(([name, value]) => [name, toBase64(value)] as const);
  return { metadata: Object.fromEntries(encoded), data: toBase64(data ?? new Uint8Array()) };
}

/**
 * The JSON of a history as it would be without encryption. @throws EncryptionError when a key is missing or another one
 */
export function parseEncryptedHistory(keys: Keyring, text: string): unknown {
  if (!text.includes(toBase64(Buffer.from(ENCRYPTED)))) return JSON.parse(text);
  // What stands inside of a value comes before it.
  return JSON.parse(text, (_, value: unknown) => {
    const payload = jsonPayloadSchema.safeParse(value).data;
    if (payload?.metadata !== undefined && isEncryptedPayload(fromJson(payload))) {
      return toJson(decryptPayload(keys, fromJson(payload)));
    }
    const failure = encodedFailureSchema.safeParse(value).data;
    if (failure === undefined) return value;
    const { encodedAttributes, ...others } = failure;
    const { message, stack_trace: stackTrace } = attributesSchema.parse(
      JSON.parse(Buffer.from(encodedAttributes.data, 'base64').toString()),
    );
    return { ...others, message, stackTrace };
  });
}

const encodedFailureSchema = z.looseObject({ encodedAttributes: z.looseObject({ data: z.string() }) });
const attributesSchema = z.object({ message: z.string(), stack_trace: z.string().optional() });

function toText(bytes: Uint8Array | null | undefined): string | undefined {
  return bytes === null || bytes === undefined ? undefined : Buffer.from(bytes).toString();
}

function toBase64(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('base64');
}

const PayloadMessage = temporal.api.common.v1.Payload;

const ENCRYPTED = 'binary/encrypted';
const KEY_ID = 'encryption-key-id';
