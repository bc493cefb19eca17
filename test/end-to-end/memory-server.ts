import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { json } from 'node:stream/consumers';
import { setTimeout as wait } from 'node:timers/promises';
import * as z from 'zod';
import { listen } from '../ports';

const messageSchema = z.object({
  type: z.enum(['reset', 'add', 'query', 'close']),
  user: z.string(),
  session: z.object({ id: z.string(), messages: z.array(z.object({ content: z.string() })) }).optional(),
});

/** A message as it came over the wire. */
type Message = z.infer<typeof messageSchema> & {
  /** The user without the part that differs in each attempt. */
  readonly instance: string;
};

/** The reply to a message instead of the usual one. */
export interface MemoryFault {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: object;
}

/** A memory server that returns the last two sessions, and fails by a test's own rule. */
export class MemoryServer implements AsyncDisposable {
  readonly messages: Message[] = [];
  readonly #server = createServer((request, response) => void this.#answer(request, response));
  readonly #users = new Map<string, Map<string, string>>();
  #port = 0;

  private constructor(
    public fail: (message: Message, number: number) => MemoryFault | 'drop' | 'silence' | undefined,
  ) {}

  static async start(fail: MemoryServer['fail'] = () => undefined): Promise<MemoryServer> {
    const memory = new MemoryServer(fail);
    memory.#port = await listen(memory.#server);
    return memory;
  }

  get url(): string {
    return `http://127.0.0.1:${this.#port}/memory`;
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const parsed = messageSchema.parse(await json(request));
    const message = { ...parsed, instance: parsed.user.split('-')[0] ?? '' };
    this.messages.push(message);
    const fault = this.fail(message, this.messages.length);
    if (fault === 'silence') return;
    if (fault === 'drop') {
      response.destroy();
      // It is stored all the same, and late.
      await wait(20);
      this.#take(message);
      return;
    }
    const { status = 200, headers = {}, body = status < 300 ? this.#take(message) : {} } = fault ?? {};
    response.writeHead(status, { 'content-type': 'application/json', ...headers });
    response.end(status === 204 ? undefined : JSON.stringify(body));
  }

  #take({ type, user, session }: Message): object {
    if (type === 'reset') this.#users.set(user, new Map());
    if (session !== undefined) {
      const text = session.messages.map(({ content }) => content).join('\u2028');
      this.#users.get(user)?.set(session.id, text);
    }
    if (type !== 'query') return {};
    const last = [...(this.#users.get(user) ?? [])].slice(-2);
    return { context: last.map(([, text]) => text).join('\n'), sessions: last.map(([id]) => id) };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }
}
