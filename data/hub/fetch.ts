import { types } from 'node:util';
import { DataError, HubError, getReason } from '../sets/error';
import type { HubAccess } from './access';

/** The Hub could not be asked at all; what is in the cache may still do. */
export class HubUnreachable extends HubError {}

/**
 * A `fetch` for the Hub's client: sends the token to the Hub only, and throws what the Hub refuses as an
 * error that says what to do.
 */
export function createHubFetch(access: HubAccess, dataSet: string, revision: string): typeof fetch {
  return async (input, init) => {
    const request = new Request(input, init);
    if (access.offline) {
      throw new HubUnreachable(
        `${dataSet} is not in the cache (${access.cache}), and the Hub was not contacted because HF_HUB_OFFLINE is set. ` +
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
        `The Hub cannot be reached at ${access.address} (${findCause(error)}). Check the network and HF_ENDPOINT, or name a ` +
          `file or folder instead of ${dataSet}.`,
        { cause: error },
      );
    }
    if (!response.ok) throw createRefusal(response, access, dataSet, revision);
    return response;
  };
}

/** What a failed connection says underneath. */
export function findCause(error: unknown): string {
  return types.isNativeError(error) && error.cause !== undefined ? getReason(error.cause) : getReason(error);
}

/** A name that the Hub does not know is the command's mistake; what else it refuses is not. */
function createRefusal(
  response: Response,
  access: HubAccess,
  dataSet: string,
  revision: string,
): DataError | HubError {
  const { status } = response;
  const { token, address } = access;
  const code = response.headers.get('x-error-code');
  if (code === 'GatedRepo') {
    return new HubError(
      `${dataSet} is gated: its owner requires you to accept terms (${status}). Accept them at ` +
        `${address}/datasets/${dataSet} and ${token === undefined ? LOG_IN : `use a token of that account; the token from ${token.from} has no access`}.`,
    );
  }
  if (code === 'RevisionNotFound') {
    return new DataError(
      `${dataSet} has no revision "${revision}" (${status}). Name a branch, a tag or a full commit after "@", or leave it out.`,
    );
  }
  if (status === 401 && token !== undefined) {
    return new HubError(
      `The Hub rejects the token from ${token.from} (401): it is mistyped, expired or revoked. Create another at ` +
        `${address}/settings/tokens, or remove it: public data sets need none.`,
    );
  }
  if (status === 401) {
    return new HubError(
      `There is no file or folder ${dataSet} here, and on the Hub it does not exist or is private (401). ` +
        `Check the spelling; if it is private, ${LOG_IN}.`,
    );
  }
  if (status === 404) {
    const remedy = token === undefined ? LOG_IN : 'use a token of an account that may read it';
    return new DataError(
      `There is no file or folder ${dataSet} here, and on the Hub it does not exist or is private (404). ` +
        `Check the spelling; if it is private, ${remedy}.`,
    );
  }
  if (status === 403) {
    return new HubError(
      `The Hub does not allow this account to read ${dataSet} (403). ` +
        (token === undefined
          ? `${capitalize(LOG_IN)}.`
          : `Give the token from ${token.from} read permission.`),
    );
  }
  if (status === 429) {
    return new HubError(
      'The Hub received too many requests and asks to wait (429). Run the same command again in a few minutes.',
    );
  }
  return new HubError(
    `The Hub failed with status ${status} on ${dataSet}. Try again later, or name a file or folder.`,
  );
}

const LOG_IN = 'set HF_TOKEN to your token, or run "hf auth login"';

function capitalize(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
