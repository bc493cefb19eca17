import { webcrypto } from 'node:crypto';
import { defaultPayloadConverter } from '@temporalio/common';
import { temporal } from '@temporalio/proto';
import {
  decryptPayload,
  encryptPayload,
  fromJson,
  parseEncryptedHistory,
  toJson,
} from '../../../../data/encryption/payloads';
import { buildKeyring } from '../../../keyring';

const keys = buildKeyring('2026-11');
const plain = defaultPayloadConverter.toPayload({ text: 'Zoë ✓' });

test('payloads have the form that other tools decrypt: nonce, ciphertext and tag of a whole payload, with the id of the key', async () => {
  const { metadata, data } = encryptPayload(keys, plain);
  const names = Object.entries(metadata ?? {}).map(([name, value]) => [name, Buffer.from(value).toString()]);
  expect(names).toEqual([
    ['encoding', 'binary/encrypted'],
    ['encryption-key-id', '2026-11'],
  ]);
  const key = await webcrypto.subtle.importKey('raw', Buffer.alloc(32, '2026-11'), 'AES-GCM', false, [
    'decrypt',
  ]);
  const bytes = Buffer.from(data ?? []);
  const algorithm = { name: 'AES-GCM', iv: bytes.subarray(0, 12) };
  const opened = await webcrypto.subtle.decrypt(algorithm, key, bytes.subarray(12));
  const payload = temporal.api.common.v1.Payload.decode(new Uint8Array(opened));
  expect(defaultPayloadConverter.fromPayload(payload)).toEqual({ text: 'Zoë ✓' });
});

test('what is not encrypted is left as it is; without its key an encrypted value is an error that names it', () => {
  expect(decryptPayload(keys, plain)).toBe(plain);
  const encrypted = encryptPayload(keys, plain);
  expect(defaultPayloadConverter.fromPayload(decryptPayload(keys, encrypted))).toEqual({ text: 'Zoë ✓' });
  expect(() => decryptPayload(buildKeyring('other'), encrypted)).toThrow(
    'is encrypted with key 2026-11, and CUPID_ENCRYPTION_KEYS has only other.',
  );
});

test('a history is read as it would be without encryption, the messages of failures too', () => {
  const seal = (value: unknown) => toJson(encryptPayload(keys, defaultPayloadConverter.toPayload(value)));
  const failed = (message: string, cause?: object) => ({
    message: 'Encoded failure',
    source: 'TypeScriptSDK',
    encodedAttributes: seal({ message, stack_trace: 'at work' }),
    ...(cause === undefined ? {} : { cause }),
  });
  const history = {
    events: [
      { eventId: '1', input: { payloads: [seal('A dialogue.'), toJson(plain)] } },
      { eventId: '2', failure: failed('It ended.', failed('It broke.')) },
    ],
  };
  const stackTrace = 'at work';
  expect(parseEncryptedHistory(keys, JSON.stringify(history))).toEqual({
    events: [
      {
        eventId: '1',
        input: { payloads: [toJson(defaultPayloadConverter.toPayload('A dialogue.')), toJson(plain)] },
      },
      {
        eventId: '2',
        failure: {
          message: 'It ended.',
          source: 'TypeScriptSDK',
          stackTrace,
          cause: { message: 'It broke.', source: 'TypeScriptSDK', stackTrace },
        },
      },
    ],
  });
  expect(fromJson(toJson(plain)).data).toEqual(Buffer.from(plain.data ?? []));
});
