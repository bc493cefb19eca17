import type { KeyObject } from 'node:crypto';
import { join } from 'node:path';
import { type DataConverter, defaultPayloadConverter, type PayloadCodec, RawValue } from '@temporalio/common';
import { PROGRAM_FOLDER } from '../data/program-folder';
import { readKeyring } from '../data/encryption/keys';
import { decryptPayload, encryptPayload } from '../data/encryption/payloads';
import { isLimitsWorkflowId } from '../engine/journal/key';
import { createSigningCodec, type ForeignPayloads } from './signed-payloads';

/** How the values of a run are protected at its Temporal service. */
export interface Protection {
  /** Whether they are encrypted. */
  readonly isEncrypted?: boolean;
  /** Signs them and all messages: on the embedded engine, whose port is open to all users of the machine. */
  readonly key?: KeyObject;
}

/**
 * How clients and workers convert values: encrypted where the run is, signed on the embedded engine, and else as the SDK does.
 * @param onForeign what is done with values that should be signed and are not
 * @throws EncryptionError when the environment's keys are not of their form
 */
export function pickDataConverter(
  { isEncrypted = false, key }: Protection,
  onForeign: ForeignPayloads,
): { readonly dataConverter?: DataConverter } {
  if (!isEncrypted && key === undefined) return {};
  return {
    dataConverter: {
      // Values are encrypted first, then signed.
      payloadCodecs: [
        ...(isEncrypted ? [createEncryptingCodec()] : []),
        ...(key === undefined ? [] : [createSigningCodec(key, onForeign)]),
      ],
      ...(isEncrypted ? { failureConverterPath: FAILURE_CONVERTER } : {}),
    },
  };
}

function createEncryptingCodec(): PayloadCodec {
  const keys = readKeyring();
  return {
    encode: async (payloads, context) =>
      // The limits of a model are shared by all runs of a cluster, encrypted or not.
      isLimitsWorkflowId(context?.workflowId ?? '')
        ? payloads
        : payloads.map((payload) =>
            payload.metadata?.[PUBLIC] === undefined ? encryptPayload(keys, payload) : payload,
          ),
    decode: async (payloads) => payloads.map((payload) => decryptPayload(keys, payload)),
  };
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
