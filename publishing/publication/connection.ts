import * as z from 'zod';
import type { HubAccess } from '../../data/hub/access';
import { findCause } from '../../data/hub/fetch';
import { parseJson } from '../../schemas/text/issues';
import { HubBrokeOff, HubRefusal } from './error';
import { type RequestKind, classifyRequest } from './steps';

/**
 * Creates a `fetch` for the Hub's client. It sends the token to the Hub only, and throws what is refused as an error that says what to do.
 * Nothing is tried again: a repeated command continues where this one failed.
 * @param signal ends the requests; the client itself ends only some of them
 */
export function createPublishFetch(access: HubAccess, signal: AbortSignal): typeof fetch {
  return async (input, init = {}) => {
    if (access.offline) {
      throw new HubBrokeOff('HF_HUB_OFFLINE is set, so the Hub was not contacted. Unset it to publish.');
    }
    const url = new URL(input instanceof Request ? input.url : input);
    const step = classifyRequest(url, init.method ?? 'GET', access.address);
    const response = await sendToHub(url, init, step, access, signal);
    if (response.ok || step.optional) return response;
    throw await createRefusal(response, step, access);
  };
}

/** Sends a request and reads the complete response, so that one that breaks off is an error here and not in the client. */
async function sendToHub(
  url: URL,
  init: RequestInit,
  step: RequestKind,
  access: HubAccess,
  signal: AbortSignal,
): Promise<Response> {
  const ends = init.signal ? AbortSignal.any([signal, init.signal]) : signal;
  try {
    const answer = await fetch(url, {
      ...init,
      ...splitBody(init),
      headers: buildHeaders(init, step, access),
      signal: ends,
    });
    const { status, headers } = answer;
    const bytes = await answer.arrayBuffer();
    return new Response(bytes.byteLength === 0 ? null : bytes, { status, headers });
  } catch (error) {
    ends.throwIfAborted();
    const server = step.atHub ? `The Hub (${access.address})` : `The Hub's store (${url.origin})`;
    throw new HubBrokeOff(
      `${server} did not answer while ${step.doing} (${findCause(error)}). Check the network and HF_ENDPOINT.`,
      { cause: error },
    );
  }
}

/**
 * Builds a body that is sent in pieces. `fetch` waits five minutes for an answer after it last sent something, and a block of 64 MB in
 * one piece is a single send: too long on a slow connection.
 */
function splitBody({ body }: RequestInit): Pick<RequestInit, 'body'> {
  return isBytes(body) ? { body: new Blob([body]) } : {};
}

function isBytes(body: RequestInit['body']): body is Uint8Array<ArrayBuffer> {
  return body instanceof Uint8Array;
}

function buildHeaders(init: RequestInit, { atHub }: RequestKind, { token }: HubAccess): Headers {
  const headers = new Headers(init.headers);
  // The client has no token, since it takes only those that begin as today's do; what else it authorizes itself by is the store's.
  const isWithoutToken = [null, 'Bearer undefined'].includes(headers.get('authorization'));
  if (isWithoutToken) headers.delete('authorization');
  if (isWithoutToken && token !== undefined && atHub) headers.set('authorization', `Bearer ${token.value}`);
  return headers;
}

async function createRefusal(response: Response, step: RequestKind, access: HubAccess): Promise<HubRefusal> {
  const { status, headers } = response;
  const code = headers.get('x-error-code') ?? undefined;
  const message = parseHubMessage(await response.text(), headers, access);
  return new HubRefusal(formatRefusal(status, message, step, access), { status, code, atHub: step.atHub });
}

/** Returns the Hub's own message, to follow our sentence. If it repeats the token, that is masked. */
function parseHubMessage(text: string, headers: Headers, { token }: HubAccess): string {
  const isJson = headers.get('content-type')?.includes('json') === true;
  const { error, message } = (isJson ? parseJson(hubErrorSchema, 'answer', text).value : undefined) ?? {};
  const reason = (error ?? message ?? headers.get('x-error-message') ?? '').replaceAll(/\s+/g, ' ').trim();
  const maskedReason = token === undefined ? reason : reason.replaceAll(token.value, '…');
  return maskedReason === ''
    ? ''
    : `: "${maskedReason.length > 300 ? `${maskedReason.slice(0, 300)}…` : maskedReason}"`;
}

const hubErrorSchema = z.object({ error: z.string().optional(), message: z.string().optional() });

function formatRefusal(
  status: number,
  message: string,
  { doing, atHub }: RequestKind,
  { token, address }: HubAccess,
): string {
  if (status === 401 && atHub) {
    return token === undefined
      ? `The Hub requires a token for ${doing} (401${message}). ${formatLoginHint(address)}`
      : `The Hub rejects the token from ${token.from} (401${message}): it is mistyped, expired or revoked. ` +
          `Create another one with write permission at ${address}/settings/tokens.`;
  }
  if (status === 429) {
    return `The Hub received too many requests and asks to wait (429${message}), so ${doing} failed. Wait a few minutes.`;
  }
  const server = atHub ? 'The Hub' : "The Hub's store";
  return status >= 500
    ? `${server} failed while ${doing} (${status}${message}).`
    : `${server} rejected ${doing} (${status}${message}).`;
}

/** Says how to create a token with write permission, and where it is looked for. */
export function formatLoginHint(address: string): string {
  return `Create a token with write permission at ${address}/settings/tokens, and set HF_TOKEN to it or run "hf auth login".`;
}
