import { join } from 'node:path';
import { type DataConverter, defaultPayloadConverter, type PayloadCodec, RawValue } from '@temporalio/common';
import { PROGRAM_FOLDER } from '../data/program-folder';
import { readKeyring } from '../data/encryption/keys';
import { decryptPayload, encryptPayload } from '../data/encryption/payloads';
import { isLimitsWorkflowId } from '../engine/journal/key';

/**
 * How clients and workers of an encrypted run convert values; those of others as the SDK does.
 * @throws EncryptionError when the environment's keys are not of their form
 */
export function pickDataConverter({ isEncrypted = false }: { readonly isEncrypted?: boolean }): {
  readonly dataConverter?: DataConverter;
} {
  if (!isEncrypted) return {};
  const keys = readKeyring();
  const codec: PayloadCodec = {
    encode: async (payloads, context) =>
      // The limits of a model are shared by all runs of a cluster, encrypted or not.
      isLimitsWorkflowId(context?.workflowId ?? '')
        ? payloads
        : payloads.map((payload) =>
            payload.metadata?.[PUBLIC] === undefined ? encryptPayload(keys, payload) : payload,
          ),
    decode: async (payloads) => payloads.map((payload) => decryptPayload(keys, payload)),
  };
  return { dataConverter: { payloadCodecs: [codec], failureConverterPath: FAILURE_CONVERTER } };
}

/** A memo that is never encrypted. */
export function createPublicMemo(memo: Readonly<Record<string, unknown>>): Record<string, RawValue> {
  const values = Object.entries(memo).map(([name, value]) => {
    const { metadata, data } = defaultPayloadConverter.toPayload(value);
    const payload = { metadata: { ...metadata, [PUBLIC]: Buffer.from('true') }, data: data ?? null };
    return [name, RawValue.fromPayload(payload)] as const;
  });
  return Object.fromEntries(values);
}

const PUBLIC = 'cupid-public';

const FAILURE_CONVERTER = join(PROGRAM_FOLDER, 'data', 'encryption', 'failure-converter');
