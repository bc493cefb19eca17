import { createServer, type Server, type ServerResponse } from 'node:http';
import { text as textOf } from 'node:stream/consumers';
import * as z from 'zod';
import { listen } from '../ports';

const askedSchema = z.looseObject({
  model: z.string(),
  messages: z.array(z.object({ role: z.string(), content: z.string() })),
});

/** A request for a completion, as it came over the wire. */
export type Asked = z.infer<typeof askedSchema>;

/** Answer of a script: a text, one that was cut off, or an error's status and code. */
export type Scripted =
  | string
  | { readonly cut: string }
  | { readonly status: number; readonly code: string | null; readonly message: string };

/** A server that speaks OpenAI's chat completions, answers by a test's own script, and keeps what it was asked. */
export class ScriptedServer implements AsyncDisposable {
  readonly asked: Asked[] = [];
  /** Errors of the script; a test should find none. */
  readonly problems: unknown[] = [];

  #port = 0;

  private constructor(
    private readonly server: Server,
    private readonly script: (asked: Asked) => Scripted,
  ) {}

  static async start(script: (asked: Asked) => Scripted): Promise<ScriptedServer> {
    const server = createServer();
    const scripted = new ScriptedServer(server, script);
    server.keepAliveTimeout = 600_000;
    server.on('request', (request, response) => {
      textOf(request)
        .then((body) => scripted.answer(body, response))
        .catch((error: unknown) => {
          scripted.problems.push(error);
          send(response, 400, { error: { message: String(error) } });
        });
    });
    scripted.#port = await listen(server);
    return scripted;
  }

  get url(): string {
    return `http://127.0.0.1:${this.#port}/v1`;
  }

  /** Returns the SPEC of a model of that name behind this server. */
  spec(name: string): string {
    return `openai-compatible:${name}@${this.url}`;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.server.closeAllConnections();
    await new Promise((resolve) => this.server.close(resolve));
  }

  private answer(body: string, response: ServerResponse): void {
    const asked = askedSchema.parse(JSON.parse(body));
    this.asked.push(asked);
    const scripted = this.script(asked);
    if (typeof scripted === 'object' && 'status' in scripted) {
      const { status, code, message } = scripted;
      send(response, status, { error: { message, code, type: 'invalid_request_error' } });
      return;
    }
    const [content, finish] = typeof scripted === 'string' ? [scripted, 'stop'] : [scripted.cut, 'length'];
    send(response, 200, {
      object: 'chat.completion',
      model: asked.model,
      choices: [{ index: 0, message: { role: 'assistant', content }, finish_reason: finish }],
    });
  }
}

function send(response: ServerResponse, status: number, body: object): void {
  response.writeHead(status, { 'content-type': 'application/json' });
  response.end(JSON.stringify(body));
}
