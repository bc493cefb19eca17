import { type ComponentChildren, createContext } from 'preact';
import { mapValues } from '../../schemas/map-values';
import { NO_ANSWER, readAnswer } from './server-answer';
import { useCallback, useContext, useEffect, useState } from 'preact/hooks';

/** View of the page as its URL states it, so that every view has a link. */
export type Address = Readonly<Record<string, string>>;

/** Keys of the order of the list and the scores that it shows. */
const LIST_KEYS: readonly string[] = ['columns', 'sort'];

/** Keys that the list does not depend on. */
const VIEW_KEYS: ReadonlySet<string> = new Set([
  'instance',
  'type-of',
  's',
  'm',
  'a',
  'b',
  'view',
  'work',
  'from',
  'board',
]);

function readAddress(): Address {
  return Object.fromEntries(new URLSearchParams(location.search));
}

/** Builds a link to the view with these changes. An empty value removes a key. */
function buildLink(address: Address, changes: Address): string {
  const entries = Object.entries({ ...address, ...changes }).filter(([, value]) => value !== '');
  const text = new URLSearchParams(Object.fromEntries(entries)).toString();
  // A bundle may be served below the root of its server.
  return text === '' ? location.pathname : `${location.pathname}?${text}`;
}

/** Returns the part of the address that the list depends on. */
export function getQuery(address: Address): Address {
  return Object.fromEntries(Object.entries(address).filter(([key]) => !VIEW_KEYS.has(key)));
}

/** Returns the changes that remove this part of the address. */
export function clear(part: Address): Address {
  return mapValues(part, () => '');
}

/** Returns the part of the address that filters the list. */
export function getFilter(address: Address): Address {
  return Object.fromEntries(Object.entries(getQuery(address)).filter(([key]) => !LIST_KEYS.includes(key)));
}

export type Navigate = (changes: Address, mode?: 'replace') => void;

/** Returns the address and a function that changes it. */
export function useAddress(): readonly [Address, Navigate] {
  const [address, setAddress] = useState(readAddress);
  useEffect(() => {
    const show = () => setAddress(readAddress());
    addEventListener('popstate', show);
    return () => removeEventListener('popstate', show);
  }, []);
  const navigate = useCallback<Navigate>((changes, mode) => {
    const link = buildLink(readAddress(), changes);
    if (mode === 'replace') history.replaceState(null, '', link);
    else history.pushState(null, '', link);
    setAddress(readAddress());
  }, []);
  return [address, navigate];
}

/** The address of a view, and a function that changes it. */
interface ViewPlace {
  readonly address: Address;
  readonly navigate: Navigate;
}

/** The place of the page, which a page provides to all its parts. */
export const Place = createContext<ViewPlace>({ address: {}, navigate: () => undefined });

/** Returns the place of the page. */
export function usePlace(): ViewPlace {
  return useContext(Place);
}

interface ViewLinkProps {
  /** Changes that the link makes to the address. */
  readonly to: Address;
  readonly kind?: string | undefined;
  readonly rel?: string;
  readonly current?: 'true' | 'page' | false;
  readonly children: ComponentChildren;
}

/** Renders a link to another view. The browser itself opens it in a new tab. */
export function ViewLink({ to, kind, rel, current = false, children }: ViewLinkProps) {
  const { address, navigate } = usePlace();
  return (
    <a
      class={kind}
      rel={rel}
      href={buildLink(address, to)}
      aria-current={current === false ? undefined : current}
      onClick={(event) => {
        if (event.metaKey || event.ctrlKey || event.shiftKey) return;
        event.preventDefault();
        navigate(to);
      }}
    >
      {children}
    </a>
  );
}

interface LoadedAnswer<T> {
  /** The latest answer. It is kept when a later request fails. */
  readonly value?: T;
  /** Why the latest request failed. */
  readonly error?: string;
}

/**
 * Loads the server's answer at a path, and keeps the earlier answer until the next arrives. Loads nothing if there is
 * no path.
 * @param pollMs milliseconds from an answer to the next request; absent for one request
 */
export function useAnswer<T>(path: string | undefined, version: number, pollMs?: number): LoadedAnswer<T> {
  const [loaded, setLoaded] = useState<LoadedAnswer<T> & { readonly path?: string }>({});
  useEffect(() => {
    if (path === undefined) return undefined;
    const leaving = new AbortController();
    let timer: number | undefined;
    const load = async () => {
      const answer = await fetchAnswer<T>(path, leaving.signal).then(
        (value) => ({ value }),
        (error: unknown) => ({ error: error instanceof Error ? error.message : String(error) }),
      );
      // A bundle's answer arrives although the page has asked for another one.
      if (leaving.signal.aborted) return;
      setLoaded((earlier) => ({ ...(earlier.path === path && { value: earlier.value }), ...answer, path }));
      // Only now, because a request that a slow line delays would never be answered if the next one ended it.
      if (pollMs !== undefined) timer = window.setTimeout(() => void load(), pollMs);
    };
    void load();
    return () => {
      leaving.abort();
      clearTimeout(timer);
    };
  }, [path, version, pollMs]);
  // The answer to another question is not shown.
  return loaded.path === path || (loaded.path !== undefined && isSameQuestion(loaded.path, path))
    ? loaded
    : {};
}

/** Returns whether both paths list instances, so that a list stays visible while it is filtered again. */
function isSameQuestion(a: string, b: string | undefined): boolean {
  return a.startsWith('api/instances?') && b?.startsWith('api/instances?') === true;
}

/** Answers a request of the page. */
type Answer = (path: string, signal?: AbortSignal, payload?: object) => Promise<unknown>;

let answerRequest: Answer = askServer;

/** Has the requests of the page answered by a function instead of the server alone. */
export function answerFrom(answer: Answer): void {
  answerRequest = answer;
}

/** @param payload object to post as JSON; absent for a GET */
export async function fetchAnswer<T>(path: string, signal?: AbortSignal, payload?: object): Promise<T>;
export async function fetchAnswer(path: string, signal?: AbortSignal, payload?: object): Promise<unknown> {
  return answerRequest(path, signal, payload);
}

/** Sends a request to the server. @param payload object to post as JSON; absent for a GET */
export async function askServer<T>(
  path: string,
  signal?: AbortSignal,
  payload?: object,
  headers?: Readonly<Record<string, string>>,
): Promise<T>;
export async function askServer(
  path: string,
  signal?: AbortSignal,
  payload?: object,
  headers: Readonly<Record<string, string>> = {},
): Promise<unknown> {
  const init =
    payload === undefined
      ? { headers }
      : {
          method: 'POST',
          headers: { ...headers, 'Content-Type': 'application/json' },
          body: JSON.stringify(payload),
        };
  // A tunnel that is frozen keeps a request open forever.
  const limit = AbortSignal.any([AbortSignal.timeout(LONGEST_ANSWER_MS), ...(signal ? [signal] : [])]);
  const response = await fetch(path, { signal: limit, ...init }).catch((error: unknown) => {
    if (signal?.aborted === true) throw error;
    throw new Error(NO_ANSWER);
  });
  return readAnswer(response).catch((error: unknown) => {
    // It may freeze in the middle of an answer.
    if (limit.aborted && signal?.aborted !== true) throw new Error(NO_ANSWER);
    throw error;
  });
}

const LONGEST_ANSWER_MS = 60_000;
