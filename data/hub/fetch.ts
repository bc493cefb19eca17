import { setTimeout as wait } from 'node:timers/promises';
import { types } from 'node:util';
import { DataError, getReason } from '../store/data-error';
import { HubError } from './hub-error';
import type { HubAccess } from './access';
import { findPauseMs } from './answers';
import type { HubName } from './name';

/** The Hub does not answer at the moment, so the cache may be used instead. */
export class HubUnreachable extends HubError {
  /** Beginning of a sentence that continues with the replacement. */
  readonly brief: string = 'The Hub cannot be reached';
}

class HubBusy extends HubUnreachable {
  override readonly brief = 'The Hub is busy';
}

/**
 * Returns a `fetch` for the Hub's client. It sends the token only to the Hub, waits as long as a busy Hub asks, and turns rejections into
 * errors with a remedy.
 * @param report receives a line for each wait
 */
export function createHubFetch(
  access: HubAccess,
  { dataSet, revision }: HubName,
  report: (line: string) => void,
): typeof fetch {
  return async (input, init) => {
    for (let attempt = 1; ; attempt += 1) {
      const response = await fetchFromHub(new Request(input, init), access, dataSet);
      if (response.ok) return response;
      const pauseMs = computePause(response, attempt);
      if (pauseMs === undefined) throw createRefusal(response, access, dataSet, revision);
      await response.body?.cancel();
      report(`The Hub is busy (${response.status}). Asking again in ${Math.ceil(pauseMs / 1000)} s.`);
      await wait(pauseMs);
    }
  };
}

async function fetchFromHub(request: Request, access: HubAccess, dataSet: string): Promise<Response> {
  if (access.offline) {
    throw new HubUnreachable(
      `${dataSet} is not in the cache (${access.cache}), and the Hub was not contacted because HF_HUB_OFFLINE is set. ` +
        'Unset HF_HUB_OFFLINE, or name a file or folder.',
    );
  }
  if (access.token !== undefined && new URL(request.url).origin === new URL(access.address).origin) {
    request.headers.set('authorization', `Bearer ${access.token.value}`);
  }
  try {
    return await fetch(request);
  } catch (error) {
    throw new HubUnreachable(
      `The Hub cannot be reached at ${access.address} (${findCause(error)}). Check the network and HF_ENDPOINT, or name a ` +
        `file or folder instead of ${dataSet}.`,
      { cause: error },
    );
  }
}

/** Computes the milliseconds until a busy Hub is asked again; undefined for no retry. */
function computePause({ status, headers }: Response, attempt: number): number | undefined {
  if (!BUSY.has(status) || attempt >= ATTEMPTS) return undefined;
  return findPauseMs(headers, 1000 * 2 ** (attempt - 1));
}

const BUSY: ReadonlySet<number> = new Set([429, 500, 502, 503, 504]);
const ATTEMPTS = 3;

/** Finds the underlying cause of a failed connection. */
export function findCause(error: unknown): string {
  return types.isNativeError(error) && error.cause !== undefined ? getReason(error.cause) : getReason(error);
}

/** Returns the error of a rejected request. An unknown name is the user's mistake; other rejections are not. */
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
  if (status === 404 && code === null && response.url.includes('/tree/')) {
    return new HubError(
      `${address} does not list the files of ${dataSet} (404): it knows only a part of what the Hub does. Unset HF_ENDPOINT, or ` +
        'download the files and name their folder.',
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
  const pinned = `or name a commit that is in the cache (${dataSet}@COMMIT), a file or a folder`;
  if (status === 429) {
    return new HubBusy(
      `The Hub received too many requests and asks to wait (429). Run the same command again in a few minutes, ${pinned}.`,
    );
  }
  const failure = `The Hub failed with status ${status} on ${dataSet}. Try again later, ${pinned}.`;
  return BUSY.has(status) ? new HubBusy(failure) : new HubError(failure);
}

const LOG_IN = 'set HF_TOKEN to your token, or run "hf auth login"';

function capitalize(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
