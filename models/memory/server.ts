import { parseHttpFailure } from '../errors/failure-body';
import { canNeverConnect, isRedirect, type ProviderFailure } from '../errors/failure';
import { endSentence, quoteSafely } from '../errors/redact';
import { sendRequest, type HttpExchange } from '../exchange';
import { describeNetworkError } from '../http';
import { MessageFailure } from './error';
import type { MemoryMessage, Transport } from './messages';

/** Sends each message to a server as a POST with a JSON body. */
export function openServer(url: string, name: string): Transport {
  let hasAnswered = false;
  return {
    async send(message, signal) {
      const response = await post(url, message, signal).catch((error: unknown) => {
        throw signal.aborted ? error : createUnreachedFailure(describeNetworkError(error), name);
      });
      const { status, body } = response;
      if (status < 200 || status >= 300) throw createStatusFailure(response, name, message.type);
      // Most servers only confirm that they received a message.
      const reply = body.trim() === '' ? {} : parseRequestBody(body);
      if (reply === undefined) {
        // A gateway may send a page for a moment.
        throw new MessageFailure(
          hasAnswered ? 'retryable' : 'failed',
          `${name} answered ${status} to ${message.type} with a body that is not JSON: ${quoteSafely(body, [])} ${CHECK_URL}`,
        );
      }
      hasAnswered = true;
      return { reply, isUnfinished: status === 202 };
    },
  };
}

async function post(url: string, message: MemoryMessage, signal: AbortSignal): Promise<HttpExchange> {
  const headers = { 'content-type': 'application/json' };
  return sendRequest(url, { method: 'POST', headers, body: JSON.stringify(message), signal });
}

function parseRequestBody(body: string): unknown {
  try {
    return JSON.parse(body) ?? {};
  } catch {
    return undefined;
  }
}

function createUnreachedFailure(failure: ProviderFailure, name: string): MessageFailure {
  const { labels, message } = failure;
  const detail = quoteSafely(`${labels.length === 0 ? '' : ` (${labels.join(', ')})`}: ${message}`, []);
  const problem = endSentence(`${name} did not answer${detail}`);
  if (canNeverConnect(failure)) return new MessageFailure('failed', `${problem} ${CHECK_URL}`);
  return labels.includes('ECONNREFUSED')
    ? new MessageFailure(
        'forgotten',
        `${problem} Nothing listens there: start the memory server, or correct host and port in --memory.`,
      )
    : new MessageFailure(
        'retryable',
        `${problem} If this continues, check host and port in --memory and the log of the server.`,
      );
}

function createStatusFailure(
  { status, headers, body }: HttpExchange,
  name: string,
  type: string,
): MessageFailure {
  const { message, retryAfterMs } = parseHttpFailure(status, headers, body);
  const quote = message.trim() === '' ? '' : `: ${quoteSafely(message, [])}`;
  // The URL accepted the first message, so something else is not found.
  const isUnknownUser = status === 404 && type !== 'reset';
  const remedy = isRedirect(status)
    ? `It redirects to ${quoteSafely(headers.get('location') ?? 'no address', [])}, and sessions are sent only to the URL that you name. Write that URL in --memory.`
    : isUnknownUser
      ? LOOK_AT_LOG
      : (REMEDIES[status] ?? LOOK_AT_LOG);
  const canRetry = RETRYABLE.has(status) || (status >= 500 && status !== 501 && status !== 505);
  return new MessageFailure(
    !canRetry ? 'failed' : status === 429 || retryAfterMs !== undefined ? 'busy' : 'retryable',
    `${endSentence(`${name} answered ${status} to ${type}${quote}`)} ${remedy}`,
    canRetry ? retryAfterMs : undefined,
  );
}

/** Statuses below 500 that a later message may not get. */
const RETRYABLE: ReadonlySet<number> = new Set([408, 409, 423, 425, 429]);

const CHECK_URL = 'Check the URL of --memory.';

const NO_KEY =
  'The server requires a key, and cupid sends none: accept messages without a key at this address, or name the URL of a proxy that adds it.';

const UNFIT = 'The server does not accept this message: docs/own-model.md lists the fields of each.';

const LOOK_AT_LOG = 'Look at the log of the memory server.';

const REMEDIES: Readonly<Record<number, string>> = {
  400: UNFIT,
  401: NO_KEY,
  403: NO_KEY,
  404: CHECK_URL,
  405: `${CHECK_URL} It does not accept POST.`,
  407: NO_KEY,
  413: 'A session is too large for the server: raise its limit.',
  415: UNFIT,
  422: UNFIT,
  429: 'The message is sent again when the server allows it. A lower --concurrency avoids this.',
};
