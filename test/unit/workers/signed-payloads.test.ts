import { createSecretKey, randomBytes } from 'node:crypto';
import { defaultPayloadConverter, type Payload, type SerializationContext } from '@temporalio/common';
import { temporal } from '@temporalio/proto';
import {
  createSigningCodec,
  ForeignValue,
  removeForeign,
  throwForeign,
} from '../../../workers/signed-payloads';

const key = createSecretKey(randomBytes(32));
const codec = createSigningCodec(key, throwForeign);
const context: SerializationContext = { type: 'workflow', namespace: 'default', workflowId: 'run/control' };
const values = [{ budget: { unit: 'tokens', cap: 1 } }, 'text', undefined];
const payloads = values.map((value) => defaultPayloadConverter.toPayload(value));

test('signed values are the same values, which a reader without the key can read as well', async () => {
  const signed = await codec.encode(payloads, context);
  expect(signed.map((payload) => defaultPayloadConverter.fromPayload(payload))).toEqual(values);
  const decoded = await codec.decode(signed.map(sendOnWire), context);
  expect(decoded.map((payload) => defaultPayloadConverter.fromPayload(payload))).toEqual(values);
  expect(decoded.flatMap(({ metadata }) => Object.keys(metadata ?? {}))).toEqual([
    'encoding',
    'encoding',
    'encoding',
  ]);
});

function sendOnWire(payload: Payload): Payload {
  return WirePayload.decode(WirePayload.encode(payload).finish());
}
const WirePayload = temporal.api.common.v1.Payload;

const ofActivity = (activityId: string): SerializationContext => ({
  type: 'activity',
  namespace: 'default',
  workflowId: 'run/control',
  activityId,
  isLocal: false,
});

test.each<[string, SerializationContext, (signed: Payload[]) => Payload[], SerializationContext?]>([
  [
    'is not signed',
    context,
    (signed) => signed.map(({ data }, at) => ({ ...payloads[at], data: data ?? null })),
  ],
  ['is changed', context, ([one, ...others]) => [{ ...one, data: Buffer.from('{}') }, ...others]],
  [
    'has another encoding',
    context,
    ([one, ...others]) => [
      { ...one, metadata: { ...one?.metadata, encoding: Buffer.from('json/protobuf') } },
      ...others,
    ],
  ],
  ['lacks one of several', context, (signed) => signed.slice(1)],
  ['is in another order', context, (signed) => signed.toReversed()],
  ['is put together from two', context, (signed) => [...signed, ...signed.slice(0, 1)]],
  ['belongs to another workflow', { ...context, workflowId: 'run' }, (signed) => signed],
  ['belongs to another activity', ofActivity('1'), (signed) => signed, ofActivity('2')],
  ['belongs to an activity instead of its workflow', ofActivity('1'), (signed) => signed],
])('what %s is rejected', async (_, signedIn, change, readIn = context) => {
  const changed = change(await codec.encode(payloads, signedIn));
  await expect(codec.decode(changed, readIn)).rejects.toThrow(ForeignValue);
  const left = await createSigningCodec(key, removeForeign).decode(changed, readIn);
  expect(left.map((payload) => defaultPayloadConverter.fromPayload(payload))).toEqual(
    changed.map(() => undefined),
  );
});

test('another key signs otherwise', async () => {
  const signed = await createSigningCodec(createSecretKey(randomBytes(32)), throwForeign).encode(
    payloads,
    context,
  );
  await expect(codec.decode(signed, context)).rejects.toThrow(ForeignValue);
});
