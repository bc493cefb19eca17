import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A request as a provider would see it. */
export interface Received {
  readonly method: string;
  /** Decoded, with the query. */
  readonly path: string;
  readonly headers: IncomingMessage['headers'];
  readonly body: unknown;
}

/** An answer: JSON unless `body` is a string. */
interface Answer {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body: unknown;
}

/** An answer, the same to all requests or by the request; or a function that handles the raw response. */
export type Reply =
  | Answer
  | { readonly find: (request: Received) => Answer }
  | ((response: ServerResponse) => void);

const NO_REPLY: Reply = { status: 500, body: { error: { message: 'this test set no reply' } } };

/** A provider on this machine: answers requests with `reply`, and records them. */
export class ProviderServer {
  readonly received: Received[] = [];
  reply: Reply = NO_REPLY;
  private readonly server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      this.answer(response, this.keep(request, Buffer.concat(chunks).toString('utf8')));
    });
  });

  /** Creates a fresh provider for each test of a file. @param reply default answer */
  static inEachTest(reply: Reply = NO_REPLY): ProviderServer {
    const provider = new ProviderServer();
    beforeEach(async () => {
      provider.received.length = 0;
      // A connection that it closes while a request is on its way is an error to the client.
      provider.server.keepAliveTimeout = 0;
      provider.reply = reply;
      await new Promise<void>((resolve) => provider.server.listen(0, '127.0.0.1', resolve));
    });
    afterEach(() => provider.close());
    return provider;
  }

  get url(): string {
    const address = this.server.address();
    if (address === null || typeof address === 'string') throw new Error('The server is not listening.');
    return `http://127.0.0.1:${(address satisfies AddressInfo).port}`;
  }

  get request(): Received {
    const [only, ...others] = this.received;
    if (only === undefined || others.length > 0) {
      throw new Error(`Expected one request, received ${this.received.length}.`);
    }
    return only;
  }

  private async close(): Promise<void> {
    this.server.closeAllConnections();
    await new Promise((resolve) => this.server.close(resolve));
  }

  private keep({ method = '', url = '', headers }: IncomingMessage, text: string): Received {
    const body: unknown = text === '' ? undefined : JSON.parse(text);
    const received = { method, path: decodeURIComponent(url), headers, body };
    this.received.push(received);
    return received;
  }

  private answer(response: ServerResponse, request: Received): void {
    if (typeof this.reply === 'function') {
      this.reply(response);
      return;
    }
    const reply = 'find' in this.reply ? this.reply.find(request) : this.reply;
    const isText = typeof reply.body === 'string';
    response.writeHead(reply.status ?? 200, {
      'content-type': isText ? 'text/html; charset=utf-8' : 'application/json; charset=UTF-8',
      ...reply.headers,
    });
    response.end(isText ? reply.body : JSON.stringify(reply.body));
  }
}
