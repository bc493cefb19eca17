import { readFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { expandHome } from '../store/home-path';
import { HubError } from './hub-error';

/** How the Hub is reached, by the same variables and files as its own tools. */
export interface HubAccess {
  /** Base URL, without a slash at the end. */
  readonly address: string;
  /** Undefined when no user is logged in. */
  readonly token: HubToken | undefined;
  /** Cache directory of the Hub's tools. */
  readonly cache: string;
  /** True when the Hub's tools are configured to stay offline. */
  readonly offline: boolean;
}

export interface HubToken {
  /** Never part of a message. */
  readonly value: string;
  /** Variable or file that it was read from. */
  readonly from: string;
}

/**
 * Reads `HF_ENDPOINT`, `HF_TOKEN` (else the file that `hf auth login` writes), `HF_HUB_CACHE`, `HF_HOME` and `HF_HUB_OFFLINE`, and their
 * older names. An empty variable counts as unset.
 * @throws HubError when one of them is invalid
 */
export async function readHubAccess(environment: NodeJS.ProcessEnv): Promise<HubAccess> {
  const variable = (name: string): string | undefined => environment[name]?.trim() || undefined;
  const home =
    variable('HF_HOME') ?? join(variable('XDG_CACHE_HOME') ?? join(homedir(), '.cache'), 'huggingface');
  return {
    address: checkAddress(variable('HF_ENDPOINT') ?? 'https://huggingface.co'),
    token: await findToken(variable, home),
    cache: expandHome(variable('HF_HUB_CACHE') ?? variable('HUGGINGFACE_HUB_CACHE') ?? join(home, 'hub')),
    offline: /^(1|on|yes|true)$/i.test(variable('HF_HUB_OFFLINE') ?? ''),
  };
}

function checkAddress(endpoint: string): string {
  if (!URL.canParse(endpoint) || !/^https?:/i.test(endpoint)) {
    throw new HubError(
      `HF_ENDPOINT is "${endpoint}", which is not a URL. Set it to one that begins with https://, or unset it.`,
    );
  }
  const { username, password } = new URL(endpoint);
  if (username !== '' || password !== '') {
    throw new HubError(
      'HF_ENDPOINT contains a user name or password, which messages would show. Remove it, and set HF_TOKEN.',
    );
  }
  return endpoint.replace(/\/+$/, '');
}

async function findToken(
  variable: (name: string) => string | undefined,
  home: string,
): Promise<HubToken | undefined> {
  for (const from of ['HF_TOKEN', 'HUGGING_FACE_HUB_TOKEN']) {
    const value = variable(from);
    if (value !== undefined) return requireSendable({ value, from });
  }
  const file = expandHome(variable('HF_TOKEN_PATH') ?? join(home, 'token'));
  const value = await readFile(file, 'utf8').then(
    (text) => text.trim(),
    () => '',
  );
  return value === '' ? undefined : requireSendable({ value, from: file });
}

/** Rejects a token that no header can hold, because the error of sending it would print it. */
function requireSendable(token: HubToken): HubToken {
  if (/^[\x21-\x7e]+$/.test(token.value)) return token;
  throw new HubError(
    `The token from ${token.from} contains characters that no token has. Set it to the token alone.`,
  );
}
