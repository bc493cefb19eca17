import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { once } from 'node:events';
import { setTimeout as wait } from 'node:timers/promises';

export interface EndpointAddress {
  readonly host: string;
  /** 0 for any free one. */
  readonly port: number;
}

/** Serves the metrics and the health of this process, over HTTP. */
export interface Endpoint {
  readonly url: string;
  /** Resolves when metrics that were asked for from now on have been answered; or when nobody seems to ask for them. */
  untilScraped(): Promise<void>;
  close(): Promise<void>;
}

interface EndpointOptions extends EndpointAddress {
  readonly metrics: () => Promise<string>;
  /** Problems for which this process is not ready; none when it is ready. */
  readonly problems: () => readonly string[];
}

/** @throws Error that says what to do when the address cannot be used */
export async function openEndpoint({ host, port, metrics, problems }: EndpointOptions): Promise<Endpoint> {
  const scrapes = new Scrapes();
  const server = createServer((request, response) => {
    void answer(request, response).catch((error: unknown) => {
      sendText(response, 500, error instanceof Error ? error.message : String(error));
    });
  });
  const answer = async ({ method, url }: IncomingMessage, response: ServerResponse) => {
    if (method !== 'GET' && method !== 'HEAD')
      return sendText(response, 405, 'Only GET requests are accepted.');
    switch (new URL(url ?? '/', 'http://localhost').pathname) {
      case '/metrics': {
        const endScrape = scrapes.next();
        const text = await metrics();
        response.once('close', endScrape);
        return sendText(response, 200, text, PROMETHEUS_TEXT);
      }
      case '/healthz':
        return sendText(response, 200, 'alive');
      case '/readyz': {
        const openProblems = problems();
        return openProblems.length === 0
          ? sendText(response, 200, 'ready')
          : sendText(response, 503, openProblems.join('\n'));
      }
      default:
        return sendText(response, 404, 'The paths are /metrics, /healthz and /readyz.');
    }
  };
  server.listen(port, host);
  try {
    await once(server, 'listening');
  } catch (error) {
    throw new Error(
      `Metrics cannot be served at ${host}:${port} (${error instanceof Error ? error.message : String(error)}). Name another port with --telemetry.`,
      { cause: error },
    );
  }
  // The command ends when its work does.
  server.unref();
  const address = server.address();
  const boundPort = typeof address === 'object' && address !== null ? address.port : port;
  return {
    url: `http://${host.includes(':') ? `[${host}]` : host}:${boundPort}`,
    untilScraped: () => scrapes.untilNext(),
    async close() {
      server.close();
      server.closeAllConnections();
    },
  };
}

/** When metrics were asked for. */
class Scrapes {
  #lastMs: number | undefined;
  #intervalMs: number | undefined;
  readonly #waiting = new Set<() => void>();

  /** Notes one that begins. Returns what is to be called when it was answered. */
  next(): () => void {
    const nowMs = performance.now();
    if (this.#lastMs !== undefined) this.#intervalMs = nowMs - this.#lastMs;
    this.#lastMs = nowMs;
    const resolvers = [...this.#waiting];
    return () => {
      for (const resolve of resolvers) resolve();
    };
  }

  /** Waits for a scrape that begins after now, as long as the last two were apart and half as long again. */
  async untilNext(): Promise<void> {
    const mostMs = this.#intervalMs === undefined ? UNKNOWN_MS : Math.min(this.#intervalMs * 1.5, MOST_MS);
    const stop = new AbortController();
    const scraped = new Promise<void>((resolve) => this.#waiting.add(resolve));
    await Promise.race([scraped, wait(mostMs, undefined, { signal: stop.signal })]);
    stop.abort();
  }
}

/** How long a scrape is waited for where it is not known how often there is one: Prometheus' usual interval is 15 s or a minute. */
const UNKNOWN_MS = 15_000;
const MOST_MS = 60_000;

const PROMETHEUS_TEXT = 'text/plain; version=0.0.4; charset=utf-8';

function sendText(
  response: ServerResponse,
  status: number,
  text: string,
  type = 'text/plain; charset=utf-8',
): void {
  response.writeHead(status, { 'content-type': type, 'cache-control': 'no-store' });
  response.end(text.endsWith('\n') ? text : `${text}\n`);
}
