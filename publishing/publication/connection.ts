import { setTimeout as wait } from 'node:timers/promises';
import { types } from 'node:util';
import * as z from 'zod';
import { DataError } from '../../data/store/data-error';
import type { HubAccess } from '../../data/hub/access';
import { findPauseMs } from '../../data/hub/answers';
import { findCause } from '../../data/hub/fetch';
import { parseJson } from '../../schemas/text/issues';
import { createCountedBody } from './counted-body';
import { HubBrokeOff, HubRefusal, PublishError } from './error';
import { type RequestKind, classifyRequest } from './steps';

/** An attempt that failed, and may be repeated. */
export interface FailedAttempt {
  /** A sentence. */
  readonly reason: string;
  /** Counted from 1. */
  readonly attempt: number;
  /** As many as a request has where it is not given. */
  readonly maxAttempts?: number;
}

/**
 * How requests get to the Hub, and to the store that it sends uploads to: with the token to the Hub only, again
 * where that does no harm, and what is refused as an error that says what to do.
 */
export class HubConnection {
  /** An address that never answered is more likely wrong than at rest. */
  #answered = false;

  /**
   * @param access who is being asked, and as whom
   * @param report receives a line for each retry
   * @param delays milliseconds before each further try; their number is how often it is tried again
   */
  constructor(
    readonly access: HubAccess,
    private readonly report: (line: string) => void,
    private readonly delays: readonly number[],
  ) {}

  /**
   * Builds a `fetch` for the Hub's client.
   * @param signal ends the requests; the client itself ends only some of them
   * @param failed called with each error that it throws, because the client loses some
   */
  fetchUntil(signal: AbortSignal, failed: (error: unknown) => void = () => undefined): typeof fetch {
    return async (input, init) => {
      try {
        return await this.#asked(new URL(input instanceof Request ? input.url : input), init ?? {}, signal);
      } catch (error) {
        failed(error);
        throw error;
      }
    };
  }

  /**
   * Reports why and when something is tried again, and waits until then.
   * @param attempt the one that failed, counted from 1
   * @returns false when there should be no further attempt
   */
  async pause(
    { reason, attempt, maxAttempts = this.delays.length + 1 }: FailedAttempt,
    signal: AbortSignal,
  ): Promise<boolean> {
    const delay = this.delays[attempt - 1];
    if (delay === undefined || attempt >= maxAttempts) return false;
    await this.#wait(delay, { reason, attempt, maxAttempts }, signal);
    return true;
  }

  async #wait(
    delayMs: number,
    { reason, attempt, maxAttempts }: Required<FailedAttempt>,
    signal: AbortSignal,
  ): Promise<void> {
    const when = delayMs < 1000 ? '' : ` in ${Math.round(delayMs / 1000)} s`;
    this.report(`${reason} Attempt ${attempt + 1} of ${maxAttempts}${when}.`);
    await wait(delayMs, undefined, { signal });
  }

  async #asked(url: URL, init: RequestInit, signal: AbortSignal): Promise<Response> {
    const { access } = this;
    if (access.offline) {
      throw new PublishError(
        'HF_HUB_OFFLINE is set, so the Hub was not contacted and nothing was sent. Unset it to publish.',
      );
    }
    const step = classifyRequest(url, init.method ?? 'GET', access.address);
    const maxAttempts = this.delays.length + 1;
    for (let attempt = 1; attempt <= maxAttempts; attempt += 1) {
      const delay = this.delays[attempt - 1];
      const { response, error } = await this.#once(url, init, step, signal);
      if (error === undefined) return response;
      const pause = delay === undefined ? undefined : this.#pauseAfter(step, delay, response);
      if (pause === undefined) throw error;
      await this.#wait(pause, { reason: error.problem, attempt, maxAttempts }, signal);
    }
    throw new Error('The last attempt neither returned nor failed. This is a defect; please report it.');
  }

  async #once(
    url: URL,
    init: RequestInit,
    step: RequestKind,
    signal: AbortSignal,
  ): Promise<
    | { readonly response: Response; readonly error: undefined }
    | { readonly response: Response | undefined; readonly error: PublishError }
  > {
    signal.throwIfAborted();
    const ends = init.signal ? AbortSignal.any([signal, init.signal]) : signal;
    const request = { ...init, ...createCountedBody(init), headers: this.#headers(init, step), signal: ends };
    try {
      const response = await readResponse(await fetch(url, request));
      this.#answered = true;
      if (response.ok || step.optional) return { response, error: undefined };
      return { response, error: await createRefusal(response, step, this.access) };
    } catch (error) {
      ends.throwIfAborted();
      // The file could not be read: no fault of the connection.
      for (let cause = error; types.isNativeError(cause); cause = cause.cause) {
        if (cause instanceof DataError || cause instanceof PublishError) throw cause;
      }
      return { response: undefined, error: this.#brokenOff(error, step) };
    }
  }

  #headers(init: RequestInit, { atHub }: RequestKind): Headers {
    const { token } = this.access;
    const headers = new Headers(init.headers);
    // The client has no token, since it takes only those that begin as today's do; what else it authorizes itself by is the store's.
    const own = [null, 'Bearer undefined'].includes(headers.get('authorization'));
    if (own) headers.delete('authorization');
    if (own && token !== undefined && atHub) headers.set('authorization', `Bearer ${token.value}`);
    return headers;
  }

  /** Returns the milliseconds until the next try, or undefined when there is none. */
  #pauseAfter(step: RequestKind, delay: number, response: Response | undefined): number | undefined {
    // The Hub rejects a request beyond its limit (429) before it acts on it.
    const harmless = step.repeatable || response?.status === 429;
    if (!harmless || !this.#answered) return undefined;
    if (response === undefined) return delay;
    return PASSING.has(response.status) ? findPauseMs(response.headers, delay) : undefined;
  }

  #brokenOff(error: unknown, { doing }: RequestKind): PublishError {
    const { address } = this.access;
    const cause = findCause(error);
    if (!this.#answered) {
      return new PublishError(
        `The Hub cannot be reached at ${address} (${cause}), so nothing was sent. Check the network and HF_ENDPOINT, and run the same command again.`,
        { cause: error },
      );
    }
    return new HubBrokeOff(`The connection broke while ${doing} (${cause}).`, { cause: error });
  }
}

const PASSING: ReadonlySet<number> = new Set([408, 429, 500, 502, 503, 504]);

/** Reads the complete response, because one that breaks off in the client could not be requested again. */
async function readResponse(response: Response): Promise<Response> {
  const { status, headers } = response;
  const bytes = await response.arrayBuffer();
  return new Response(bytes.byteLength === 0 ? null : bytes, { status, headers });
}

async function createRefusal(response: Response, step: RequestKind, access: HubAccess): Promise<HubRefusal> {
  const { status, headers } = response;
  const code = headers.get('x-error-code') ?? undefined;
  const text = await response.text();
  return new HubRefusal(formatRefusal(status, parseHubMessage(text, headers, access), step, access), {
    status,
    code,
    atHub: step.atHub,
  });
}

/** Returns the Hub's own message, to follow our sentence. If it repeats the token, that is masked. */
function parseHubMessage(text: string, headers: Headers, { token }: HubAccess): string {
  const isJson = headers.get('content-type')?.includes('json') === true;
  const { error, message } = (isJson ? parseJson(hubErrorSchema, 'answer', text).value : undefined) ?? {};
  const reason = (error ?? message ?? headers.get('x-error-message') ?? '').replaceAll(/\s+/g, ' ').trim();
  const shown = token === undefined ? reason : reason.replaceAll(token.value, '…');
  return shown === '' ? '' : `: "${shown.length > 300 ? `${shown.slice(0, 300)}…` : shown}"`;
}

const hubErrorSchema = z.object({ error: z.string().optional(), message: z.string().optional() });

function formatRefusal(
  status: number,
  said: string,
  { doing, atHub }: RequestKind,
  { token, address }: HubAccess,
): { readonly problem: string; readonly remedy?: string } {
  if (status === 401 && atHub) {
    return token === undefined
      ? { problem: `The Hub requires a token for ${doing} (401${said}).`, remedy: formatLoginHint(address) }
      : {
          problem: `The Hub rejects the token from ${token.from} (401${said}): it is mistyped, expired or revoked.`,
          remedy: `Create another one with write permission at ${address}/settings/tokens.`,
        };
  }
  if (status === 429) {
    return {
      problem: `The Hub received too many requests and asks to wait (429${said}), so ${doing} failed.`,
      remedy: 'Run the same command again in a few minutes.',
    };
  }
  const who = atHub ? 'The Hub' : "The Hub's store";
  if (status >= 500) {
    return {
      problem: `${who} failed while ${doing} (${status}${said}).`,
      remedy: 'Run the same command again later.',
    };
  }
  return { problem: `${who} rejected ${doing} (${status}${said}).` };
}

/** Says how to create a token with write permission, and where it is looked for. */
export function formatLoginHint(address: string): string {
  return `Create a token with write permission at ${address}/settings/tokens, and set HF_TOKEN to it or run "hf auth login".`;
}
