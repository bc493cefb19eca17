import { createHmac, timingSafeEqual, type KeyObject } from 'node:crypto';
import type { Payload, PayloadCodec, SerializationContext } from '@temporalio/common';

/** A value of the embedded server is not signed with its key. */
export class ForeignValue extends Error {
  override readonly name = 'ForeignValue';
}

/** Handles values that are not signed, and returns their replacements. */
type ForeignPayloads = (payloads: readonly Payload[]) => Payload[];

/** Rejects unsigned values, for clients. */
export const throwForeign: ForeignPayloads = () => {
  throw new ForeignValue(
    'A value of the embedded Temporal server is not signed with the key of this run (.cupid/engine/key): another program on this machine sent it. Nothing of it was used. Repeat the command to continue.',
  );
};

/**
 * Replaces them by nothing, for workers. A failure would stop a workflow for good, because the message is in its history. Workflows and
 * activities reject messages without a stamp.
 */
export const removeForeign: ForeignPayloads = (payloads) => payloads.map(() => NOTHING);

/**
 * Signs values: adds a message authentication code (HMAC-SHA256) to the metadata of each. The value itself stays as it is, so Temporal's
 * UI shows it. The code covers all values that are passed together, and the workflow or activity that they belong to. The name
 * of a message is not known here, so the stamp in its last argument has it (`engine/stamp.ts`). A signature costs about 20 µs of
 * processor time, and an activity has four (2026-11-26).
 */
export function createSigningCodec(key: KeyObject, onForeign: ForeignPayloads): PayloadCodec {
  return {
    async encode(payloads, context) {
      const code = computeCode(key, payloads, context);
      return payloads.map(({ metadata, data }) => ({
        metadata: { ...metadata, [CODE]: code },
        data: data ?? null,
      }));
    },
    async decode(payloads, context) {
      const plain = payloads.map(removeCode);
      const code = computeCode(key, plain, context);
      return payloads.every((payload) => hasCode(payload, code)) ? plain : onForeign(payloads);
    },
  };
}

function computeCode(
  key: KeyObject,
  payloads: readonly Payload[],
  context: SerializationContext | undefined,
): Buffer {
  const hmac = createHmac('sha256', key);
  const add = (part: Uint8Array | string) => {
    // protobufjs returns an array for an empty field.
    const bytes = part instanceof Uint8Array ? part : Buffer.from(part);
    const length = Buffer.alloc(4);
    length.writeUInt32BE(bytes.length);
    hmac.update(length).update(bytes);
  };
  add(JSON.stringify([payloads.length, ...describeContext(context)]));
  for (const { metadata, data } of payloads) {
    const entries = Object.entries(metadata ?? {}).toSorted(([a], [b]) => (a < b ? -1 : 1));
    add(String(entries.length));
    for (const [name, value] of entries) {
      add(name);
      add(value);
    }
    add(data ?? '');
  }
  return hmac.digest();
}

function describeContext(context: SerializationContext | undefined): (string | undefined)[] {
  if (context === undefined) return [];
  const activity = context.type === 'activity' ? [context.activityId] : [];
  return [context.type, context.workflowId, ...activity];
}

function hasCode({ metadata }: Payload, code: Buffer): boolean {
  const ownCode = metadata?.[CODE];
  return ownCode?.length === code.length && timingSafeEqual(ownCode, code);
}

function removeCode({ metadata, data }: Payload): Payload {
  const { [CODE]: _, ...remaining } = metadata ?? {};
  return { metadata: remaining, data: data ?? null };
}

/** Name of the code in the metadata of a value. */
const CODE = 'cupid-mac';

/** The SDK's encoding of `undefined`. */
const NOTHING: Payload = { metadata: { encoding: Buffer.from('binary/null') }, data: null };
