/** Faults of the model server. A share of failures is drawn from a fixed sequence, so every client meets the same share. */
import { setTimeout as wait } from 'node:timers/promises';

const TOO_MANY = '{"error":{"message":"Too many requests."}}';
const BROKEN = '{"error":{"message":"The server had an error."}}';
const PAGE = '<html><body>Starting</body></html>';

const send = (status, body, headers) => (outgoing) =>
  outgoing.writeHead(status, { 'content-type': 'application/json', ...headers }).end(body);
const drop = (outgoing) => outgoing.socket.destroy();

/**
 * Creates the fault of a server.
 * @param fault `of`: model or memory; and one of `rejected` (share of 429 without a time), `perSecond` (calls a second above which it answers 429
 * with a time), `most` and `full` (calls in flight above which it answers 429 or 503), `dropped`, `broken` (shares), `slow` (share of answers that take
 * `slowMs`), `awayMs` (after `afterMs` from the first call), `pagesMs` (a gateway's web pages for that long after `afterMs`)
 */
export function createFaults({ of = 'model', ...fault } = {}) {
  const draw = createDraw(12_345);
  let firstAt;
  let second = 0;
  let sent = 0;
  /** @param inFlight calls that are being answered */
  const choose = (now, inFlight) => {
    firstAt ??= now;
    const since = now - firstAt - (fault.afterMs ?? 0);
    if (since >= 0 && since < (fault.awayMs ?? 0)) return { respond: drop };
    if (since >= 0 && since < (fault.pagesMs ?? 0)) {
      return { respond: send(200, PAGE, { 'content-type': 'text/html' }) };
    }
    if (fault.perSecond !== undefined) {
      const current = Math.floor(now / 1_000);
      if (current !== second) [second, sent] = [current, 0];
      sent += 1;
      if (sent > fault.perSecond) return { respond: send(429, TOO_MANY, { 'retry-after': '1' }) };
    }
    if (inFlight >= (fault.most ?? Infinity)) return { respond: send(429, TOO_MANY) };
    if (inFlight >= (fault.full ?? Infinity)) return { respond: send(503, BROKEN) };
    if (draw() < (fault.rejected ?? 0)) return { respond: send(429, TOO_MANY) };
    if (draw() < (fault.dropped ?? 0)) return { respond: drop };
    if (draw() < (fault.broken ?? 0)) return { respond: send(500, BROKEN) };
    return draw() < (fault.slow ?? 0) ? { latencyMs: fault.slowMs } : {};
  };
  return { next: (kind, now, inFlight) => (kind === of ? choose(now, inFlight) : {}) };
}

/** Creates a fixed sequence of numbers from 0 to 1. */
export function createDraw(seed) {
  let state = seed;
  return () => (state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0) / 2 ** 32;
}

/**
 * Runs calls as a plain client does: at most `concurrency` at once, each retried with a backoff of its own. The backoff is that of the providers'
 * SDKs: 0.5 s, doubled up to 8 s, no sooner than the server asks.
 * @param plan a number of calls to a model, `{ messages }` to a memory system, a list of parts one after the other, or `{ all }` side by side
 */
export async function runPlainClient(plan, { model, memory, concurrency }) {
  const waiting = [];
  let inFlight = 0;
  const pass = async () => {
    if (inFlight >= concurrency) await new Promise((resolve) => waiting.push(resolve));
    inFlight += 1;
  };
  const release = () => {
    inFlight -= 1;
    waiting.shift()?.();
  };
  const call = async (url) => {
    for (let failures = 0; ; failures += 1) {
      await pass();
      const response = await post(url).finally(release);
      if (response.isAnswer) return;
      await wait(
        Math.max(response.retryAfterMs, Math.min(8_000, 500 * 2 ** failures) * (0.75 + Math.random() / 4)),
      );
    }
  };
  const follow = async (part) => {
    if (typeof part === 'number') for (let made = 0; made < part; made += 1) await call(model);
    else if (Array.isArray(part)) for (const step of part) await follow(step);
    else if ('messages' in part) for (let made = 0; made < part.messages; made += 1) await call(memory);
    else await Promise.all(part.all.map(follow));
  };
  await follow(plan);
}

async function post(url) {
  try {
    const response = await fetch(url, { method: 'POST', body: '{}' });
    const text = await response.text();
    const isAnswer = response.ok && text.startsWith('{');
    return { isAnswer, retryAfterMs: Number(response.headers.get('retry-after') ?? 0) * 1_000 };
  } catch {
    return { isAnswer: false, retryAfterMs: 0 };
  }
}
