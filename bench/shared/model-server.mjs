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
import { createFaults } from './faults.mjs';
import { loadTypeScript } from './load-typescript.mjs';
import { timesOf } from './processes.mjs';

const FILE = fileURLToPath(import.meta.url);

/**
 * Starts the server. Its answers take `latencyMs`, which may be changed while it runs. It also is a memory system.
 * @param malformed the part of its answers that have a wrong form
 */
export async function startModelServer({ latencyMs, malformed = 0 }) {
  const child = fork(FILE, ['serve'], { stdio: ['ignore', 'inherit', 'inherit', 'ipc'] });
  const command = async (message) => {
    child.send(message);
    const [reply] = await once(child, 'message');
    return reply;
  };
  const { url } = await command({ do: 'start', latencyMs, malformed });
  return {
    url,
    spec: (model = 'stand-in') => `openai-compatible:${model}@${url}`,
    /** Addresses of a memory system that remembers nothing, and of a model whose answers do not matter. */
    memory: new URL('/memory', url).href,
    plain: new URL('/plain', url).href,
    /** Changes the latency and the fault (faults.mjs); forgets the calls received so far, but not their answers. */
    restart: (options) => command({ do: 'restart', ...options }),
    /**
     * Returns the times when each call was received and answered, in milliseconds of `Date.now()`, in order of arrival. Equal requests have equal
     * keys. `isMessage` marks those to the memory system.
     */
    readCalls: async () => (await command({ do: 'calls' })).calls,
    processorSeconds: () => timesOf(child.pid)?.processorSeconds ?? 0,
    stop: () => child.kill('SIGKILL'),
  };
}

async function serve() {
  const { startStandIn } = loadTypeScript(join('test', 'stand-in', 'chat-server.ts'));
  let standIn;
  const answers = new Map();
  let calls = [];
  let latencyMs = 0;
  let faults = createFaults();
  let inFlight = 0;

  const respond = async (incoming, outgoing) => {
    const call = { receivedAt: Date.now() };
    const body = await read(incoming);
    const fixed = FIXED_REPLIES[incoming.url];
    call.isMessage = incoming.url === '/memory';
    const fault = faults.next(call.isMessage ? 'memory' : 'model', call.receivedAt, inFlight);
    if (fault.respond !== undefined) {
      fault.respond(outgoing);
      return;
    }
    calls.push(call);
    inFlight += 1;
    outgoing.once('close', () => (inFlight -= 1));
    call.key = hash('sha256', body);
    const answer = fixed ?? answers.get(call.key) ?? (await ask(incoming.url, body));
    const waitMs = (fault.latencyMs ?? latencyMs) - (Date.now() - call.receivedAt);
    if (waitMs > 0) await wait(waitMs);
    if (outgoing.destroyed) return;
    outgoing.writeHead(answer.status, { 'content-type': 'application/json' });
    outgoing.end(answer.text);
    call.answeredAt = Date.now();
    if (fixed === undefined) answers.set(call.key, answer);
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

  const follow = async (message) => {
    standIn ??= await startStandIn({ simulated: { malformed: String(message.malformed) } });
    if (message.do === 'calls') {
      process.send({ calls });
      return;
    }
    ({ latencyMs = latencyMs } = message);
    faults = createFaults(message.fault);
    calls = [];
    process.send({ url: `http://127.0.0.1:${server.address().port}/v1` });
  };
  process.on('message', (message) => void follow(message));
  process.on('disconnect', () => process.exit());
}

/** Replies of a memory system, and to calls whose answers do not matter. */
const FIXED_REPLIES = {
  '/memory': { status: 200, text: JSON.stringify({ context: 'Nothing is known about the user.' }) },
  '/plain': { status: 200, text: '{}' },
};

async function read(stream) {
  const chunks = [];
  for await (const chunk of stream) chunks.push(chunk);
  return Buffer.concat(chunks);
}

if (process.argv[1] === FILE && process.argv[2] === 'serve') await serve();
