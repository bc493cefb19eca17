import { types } from 'node:util';
import { DataError, reasonOf } from './error';
import type { HubAccess } from './hub-access';

/** The Hub could not be asked at all; what is in the cache may still do. */
export class HubUnreachable extends DataError {}

/**
 * A `fetch` for the Hub's client: sends the token to the Hub and to nobody else, and throws what the Hub refuses as an
 * error that says what to do.
 */
export function hubFetch(access: HubAccess, dataSet: string, revision: string): typeof fetch {
  return async (input, init) => {
    const request = new Request(input, init);
    if (access.offline) {
      throw new HubUnreachable(
        `${dataSet} of the Hub was not asked for, because HF_HUB_OFFLINE is set, and it is not in the cache (${access.cache}). ` +
          'Unset HF_HUB_OFFLINE, or name a file or folder.',
      );
    }
    if (access.token !== undefined && new URL(request.url).origin === new URL(access.address).origin) {
      request.headers.set('authorization', `Bearer ${access.token.value}`);
    }
    let response: Response;
    try {
      response = await fetch(request);
    } catch (error) {
      throw new HubUnreachable(
        `The Hub cannot be reached at ${access.address} (${causeOf(error)}). Check the network and HF_ENDPOINT, or name a ` +
          `file or folder instead of ${dataSet}.`,
        { cause: error },
      );
    }
    if (!response.ok) throw new DataError(refusal(response, access, dataSet, revision));
    return response;
  };
}

/** What a failed connection says underneath. */
export function causeOf(error: unknown): string {
  return types.isNativeError(error) && error.cause !== undefined ? reasonOf(error.cause) : reasonOf(error);
}

function refusal(response: Response, access: HubAccess, dataSet: string, revision: string): string {
  const { status } = response;
  const { token, address } = access;
  const code = response.headers.get('x-error-code');
  if (code === 'GatedRepo') {
    return (
      `${dataSet} is gated: its owner lets in only who accepted the terms (${status}). Accept them at ` +
      `${address}/datasets/${dataSet} and ${token === undefined ? LOG_IN : `use a token of that account; the one from ${token.from} is not let in`}.`
    );
  }
  if (code === 'RevisionNotFound') {
    return `${dataSet} has no revision "${revision}" (${status}). Name a branch, a tag or a whole commit after "@", or leave it out.`;
  }
  if (status === 401 && token !== undefined) {
    return (
      `The Hub refuses the token from ${token.from} (401): it is mistyped, expired or revoked. Make another at ` +
      `${address}/settings/tokens, or take it away: public data sets need none.`
    );
  }
  if (status === 401 || status === 404) {
    const who =
      token === undefined
        ? `${LOG_IN} if it is private`
        : `use a token of an account that may read it, if it is private`;
    return (
      `There is no file or folder ${dataSet} here, and on the Hub it does not exist or is private (${status}). ` +
      `Check how it is spelled, and ${who}.`
    );
  }
  if (status === 403) {
    return (
      `The Hub does not let this account read ${dataSet} (403). ` +
      (token === undefined
        ? `${capital(LOG_IN)}.`
        : `Give the token from ${token.from} the right to read it.`)
    );
  }
  if (status === 429) return `The Hub asks to wait: too many requests (429). Try again in some minutes.`;
  return `The Hub failed with status ${status} on ${dataSet}. Try again later, or name a file or folder.`;
}

const LOG_IN = 'set HF_TOKEN to a token of yours, or run "hf auth login"';

function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
