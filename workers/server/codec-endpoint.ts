import { once } from 'node:events';
import { createAdaptorServer } from '@hono/node-server';
import type { Payload } from '@temporalio/common';
import { type Context, Hono } from 'hono';
import { cors } from 'hono/cors';
import { z } from 'zod';
import { EncryptionError, type Keyring } from '../../data/encryption/keys';
import {
  decryptPayload,
  encryptPayload,
  fromJson,
  jsonPayloadSchema,
  toJson,
} from '../../data/encryption/payloads';

/**
 * Serves Temporal's codec protocol on the loopback, for its command line and its UI: `POST /decode` and `POST /encode`, also below the name
 * of a namespace.
 * @param origins of the pages that may ask: the UI's
 * @throws Error when the port cannot be used
 */
export async function openCodecEndpoint(options: {
  readonly keys: Keyring;
  readonly origins: readonly string[];
  readonly port: number;
}): Promise<{ readonly url: string; close(): void }> {
  const { keys, origins, port } = options;
  const answer = (convert: (keyring: Keyring, payload: Payload) => Payload) => async (context: Context) => {
    const body = bodySchema.safeParse(await context.req.json().catch(() => undefined));
    if (!body.success) return context.text('Expected JSON with a list of payloads.', 400);
    const payloads = body.data.payloads.map((payload) => toJson(convert(keys, fromJson(payload))));
    return context.json({ payloads });
  };
  const app = new Hono();
  app.use(async (context, next) => {
    const origin = context.req.header('origin');
    // A page of another site may have a name that leads to this machine.
    const isForeign = !/^(127\.0\.0\.1|localhost):\d+$/.test(context.req.header('host') ?? '');
    if (isForeign || (origin !== undefined && !origins.includes(origin))) {
      return context.text('This page may not use the codec. See cupid codec --help.', 403);
    }
    return next();
  });
  app.use(cors({ origin: [...origins], allowMethods: ['POST'], allowHeaders: HEADERS }));
  for (const path of ['/decode', '/:namespace/decode']) app.post(path, answer(decryptPayload));
  for (const path of ['/encode', '/:namespace/encode']) app.post(path, answer(encryptPayload));
  app.onError((error, context) => context.text(error.message, error instanceof EncryptionError ? 400 : 500));

  const server = createAdaptorServer({ fetch: app.fetch });
  server.listen(port, LOOPBACK);
  try {
    await once(server, 'listening');
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new Error(`Port ${port} cannot be used (${reason}). Name another one with --port.`, {
      cause: error,
    });
  }
  const address = server.address();
  const bound = typeof address === 'object' && address !== null ? address.port : port;
  return {
    url: `http://${LOOPBACK}:${bound}`,
    close() {
      server.close();
      if ('closeAllConnections' in server) server.closeAllConnections();
    },
  };
}

const LOOPBACK = '127.0.0.1';

/** Those that the UI sends. */
const HEADERS = ['Authorization', 'Content-Type', 'X-Namespace'];

const bodySchema = z.object({ payloads: z.array(jsonPayloadSchema) });
