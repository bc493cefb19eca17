export interface RequestKind {
  /** As in "the Hub failed while …". */
  readonly doing: string;
  /** The caller continues without it. */
  readonly optional: boolean;
  /** True for a request to the Hub itself, false for an address that it gave for an upload. */
  readonly atHub: boolean;
}

/** @param address of the Hub */
export function classifyRequest(url: URL, method: string, address: string): RequestKind {
  const requestLine = `${method.toUpperCase()} ${url.pathname}`;
  const atHub = url.href.startsWith(`${address}/`) && API.test(url.href.slice(address.length));
  const [, description] = DOING.find(([pattern]) => pattern.test(requestLine)) ?? [];
  return {
    doing: description ?? (atHub ? 'reading the data set' : 'uploading'),
    // Whether the store has a piece already: when it does not say so, the piece is sent.
    optional: /^GET .*\/v1\/chunks\//.test(requestLine),
    atHub,
  };
}

/** Addresses for uploads may be the Hub's as well; they are signed, and need no token. */
const API = /^\/(?:api\/(?:whoami-v2|repos\/|datasets\/)|datasets\/)/;

const DOING: readonly (readonly [RegExp, string])[] = [
  [/\/api\/whoami/, 'checking the token'],
  [/\/repos\/create$/, 'creating the data set'],
  [/^POST \S+\/branch\//, 'creating the branch'],
  [/^POST \S+\/commit\//, 'creating the commit'],
  [/\/resolve\/[^/]+\/README\.md$/, 'reading README.md'],
  [/\/preupload\/|\/objects\/batch$|\/xet-write-token\//, 'preparing the upload'],
];
