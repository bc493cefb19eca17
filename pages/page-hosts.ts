/**
 * The hosts and origins that requests of a page may name: this machine's own names, on any port, because a tunnel may have another one, and the
 * proxy that shows the page. Other names are rejected: one could be made to point here (DNS rebinding).
 */
export interface PageHosts {
  /** Address of the page in the user's browser, with a slash at its end. */
  readonly url: URL;
  readonly isProxied: boolean;
  isHost(host: string): boolean;
  /** Returns whether a page of this origin may send requests that name this host. */
  isOrigin(origin: string, host: string): boolean;
}

/**
 * Returns the hosts of a page on this port.
 * @param publicUrl address of the proxy that shows the page, in which `{port}` is the page's port
 * @param localName host name of this machine in links that no proxy serves
 */
export function createPageHosts(port: number, publicUrl?: string, localName = LOOPBACK): PageHosts {
  const proxy = publicUrl === undefined ? undefined : new URL(insertPort(publicUrl, port));
  const proxyHosts =
    proxy === undefined ? [] : [proxy.host, `${proxy.hostname}:${DEFAULT_PORTS[proxy.protocol]}`];
  // Codespaces replaces the origin of a page that it shows with one of these.
  const ownOrigins = ['localhost', LOOPBACK].map((name) => new URL(`http://${name}:${port}`).origin);
  return {
    url: proxy ?? new URL(`http://${localName}:${port}/`),
    isProxied: proxy !== undefined,
    isHost: (host) => LOOPBACK_HOST.test(host) || proxyHosts.includes(host),
    isOrigin: (origin, host) =>
      origin === proxy?.origin ||
      (proxyHosts.includes(host) ? ownOrigins.includes(origin) : origin === `http://${host}`),
  };
}

/** The address that links to a page name. */
export const LOOPBACK = '127.0.0.1';

/** The only other address that a page listens on, where the machine has it. */
export const IPV6_LOOPBACK = '::1';

/** Names that no other machine can have. */
const LOOPBACK_HOST = /^(?:localhost|127\.0\.0\.1|\[::1\])(?::\d{1,5})?$/;

const DEFAULT_PORTS: Readonly<Record<string, number>> = { 'http:': 80, 'https:': 443 };

/** Returns the address of a page on this port, with a slash at its end, below which the page's files are found. */
export function insertPort(publicUrl: string, port: number): string {
  return publicUrl.replaceAll(/\{\{port\}\}|\{port\}/g, `${port}`).replace(/\/*$/, '/');
}

/**
 * Finds the proxy that shows this machine's pages where the environment names it: code-server and Coder (`VSCODE_PROXY_URI`), and Codespaces.
 * Returns undefined if there is none, or its address is incomplete.
 */
export function findPublicUrl({
  VSCODE_PROXY_URI: proxy = '',
  CODESPACE_NAME: codespace = '',
  GITHUB_CODESPACES_PORT_FORWARDING_DOMAIN: domain = '',
}: NodeJS.ProcessEnv): string | undefined {
  if (codespace !== '' && domain !== '') return `https://${codespace}-{port}.${domain}/`;
  // A relative address, or one with the host of code-server, works in its own window only.
  return /^https?:\/\/[^{}]*\{\{port\}\}[^{}]*$/.test(proxy) ? proxy : undefined;
}

/** Returns the path at which JupyterHub shows a page, with `{port}` for its port; undefined outside JupyterHub. */
export function findHubPath({
  JUPYTERHUB_SERVICE_PREFIX: prefix = '',
}: NodeJS.ProcessEnv): string | undefined {
  return prefix === '' ? undefined : `${prefix.replace(/\/*$/, '/')}proxy/{port}/`;
}
