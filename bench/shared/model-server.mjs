/**
 * The model server of the measurements, in a separate process: the tests' stand-in for a provider, with a cache, so that a repeated answer costs
 * next to nothing. `startModelServer` starts it; it ends with the process that started it.
 */
import { fork } from 'node:child_process';
import { hash } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { loadTypeScript } from './load-typescript.mjs';
import { timesOf } from './processes.mjs';

const FILE = fileURLToPath(import.meta.url);

/** Starts the server. Its answers take `latencyMs`, which may be changed while it runs. */
export async function startModelServer({ latencyMs }) {
  const child = fork(FILE, ['serve'], { stdio: ['ignore', 'inherit', 'inherit', 'ipc'] });
  const command = async (message) => {
    child.send(message);
    const [reply] = await once(child, 'message');
    return reply;
  };
  const { url } = await command({ do: 'start', latencyMs });
  return {
    url,
    spec: (model = 'stand-in') => `openai-compatible:${model}@${url}`,
    /** Changes the latency; forgets the calls received so far, but not their answers. */
    restart: (options) => command({ do: 'restart', ...options }),
    /**
     * Returns the times when each call was received and answered, in milliseconds of `Date.now()`, in order of arrival. Equal requests have equal
     * keys.
     */
    readCalls: async () => (await command({ do: 'calls' })).calls,
    processorSeconds: () => timesOf(child.pid)?.processorSeconds ?? 0,
    stop: () => child.kill('SIGKILL'),
  };
}

async function serve() {
  const { startStandIn } = loadTypeScript(join('test', 'stand-in', 'chat-server.ts'));
  const standIn = await startStandIn();
  const answers = new Map();
  let calls = [];
  let latencyMs = 0;

  const respond = async (incoming, outgoing) => {
    const call = { receivedAt: Date.now() };
    calls.push(call);
    const body = await read(incoming);
    call.key = hash('sha256', body);
    const answer = answers.get(call.key) ?? (await ask(incoming.url, body));
    const waitMs = latencyMs - (Date.now() - call.receivedAt);
    if (waitMs > 0) await wait(waitMs);
    if (outgoing.destroyed) return;
    outgoing.writeHead(answer.status, { 'content-type': 'application/json' });
    outgoing.end(answer.text);
    call.answeredAt = Date.now();
    answers.set(call.key, answer);
  };
  // A killed client breaks its connection, even in the middle of a request.
  const server = createServer(
    (incoming, outgoing) => void respond(incoming, outgoing).catch(() => undefined),
  );
  server.keepAliveTimeout = 600_000;
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');

  const ask = async (path, body) => {
    const headers = { 'content-type': 'application/json' };
    const response = await fetch(new URL(path, standIn.url), { method: 'POST', headers, body });
    return { status: response.status, text: await response.text() };
  };

  process.on('message', (message) => {
    if (message.do === 'calls') {
      process.send({ calls });
      return;
    }
    ({ latencyMs = latencyMs } = message);
    calls = [];
    process.send({ url: `http://127.0.0.1:${server.address().port}/v1` });
  });
  process.on('disconnect', () => process.exit());
}

async function read(stream) {
  const chunks = [];
  for await (const chunk of stream) chunks.push(chunk);
  return Buffer.concat(chunks);
}

if (process.argv[1] === FILE && process.argv[2] === 'serve') await serve();
