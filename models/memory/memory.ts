import { recallSchema, type Recall, type Recalled } from '../../schemas/evaluation/memory';
import { formatModelName, type ModelSpec } from '../../schemas/model/model-spec';
import { omitUndefined } from '../../schemas/omit-undefined';
import { describeIssues } from '../../schemas/text/issues';
import { CALL_TIMEOUT_MS, callProvider } from '../call';
import { ModelError } from '../errors/error';
import { fetchProvider } from '../http';
import type { Model } from '../model';
import { openFunction } from '../providers/module';
import { openCommand } from './command';
import { failedReplySchema, listAdditions, queryReplySchema, type Exchange } from './messages';

/**
 * Opens a memory system, which answers the step `recall`: it is given the sessions of a user one by one, then asked with the request. A call holds
 * all messages about its user, so a call that is repeated after a crash needs nothing from before. Errors are those of a model: a system that is
 * not reached or that asks for time is asked again without limit, another error three times. None becomes a score.
 */
export function openMemory({ model }: ModelSpec, timeoutMs = CALL_TIMEOUT_MS): Model {
  const name = formatModelName(`memory:${model}`);
  const { exchange, isSequential } = openExchange(model, name);
  const caller = { spec: name, keyHint: `the key that ${name} sends`, secrets: [] };
  let last: Promise<unknown> = Promise.resolve();
  return {
    async ask({ messages }, signal) {
      const recall = recallSchema.parse(JSON.parse(messages.at(-1)?.content ?? ''));
      const ask = () =>
        callProvider(caller, signal, timeoutMs, (stop) => recallFrom(exchange, recall, name, stop));
      const asked = isSequential ? last.then(ask) : ask();
      last = asked.catch(() => undefined);
      const text = JSON.stringify(await asked);
      return { text, finish: 'complete', model: name, usage: { input: 0, output: 0 } };
    },
  };
}

/** Returns how messages reach the memory system. A program gets those of one user after another, so it needs no locks. */
function openExchange(
  adapter: string,
  name: string,
): { readonly exchange: Exchange; readonly isSequential?: true } {
  if (/^https?:/.test(adapter)) return { exchange: (message, signal) => post(adapter, message, signal) };
  const at = adapter.indexOf(':');
  const rest = adapter.slice(at + 1);
  if (adapter.slice(0, at) === 'command') return { exchange: openCommand(rest, name), isSequential: true };
  const ask = openFunction({ provider: 'module', model: rest, options: {} }, process.cwd());
  return { exchange: (message) => ask(message) };
}

async function post(url: string, message: object, signal: AbortSignal): Promise<unknown> {
  const headers = { 'content-type': 'application/json' };
  const response = await fetchProvider(url, {
    method: 'POST',
    headers,
    body: JSON.stringify(message),
    signal,
  });
  return response.json();
}

async function recallFrom(
  exchange: Exchange,
  recall: Recall,
  name: string,
  signal: AbortSignal,
): Promise<Recalled> {
  const { user, request, budget } = recall;
  const send: Exchange = async (message, stop) => {
    stop.throwIfAborted();
    const reply = await exchange(message, stop);
    refuseFailure(reply, name, message.type);
    return reply;
  };
  const start = performance.now();
  for (const message of listAdditions(recall)) await send(message, signal);
  const added = performance.now();
  const reply = await send({ type: 'query', user, request, budget }, signal);
  const queried = performance.now();
  await send({ type: 'close', user }, signal);
  const parsed = queryReplySchema.safeParse(reply);
  if (!parsed.success) {
    throw new ModelError(
      'bad-request',
      `${name} sent an invalid reply. ${describeIssues('Reply to query', parsed.error, reply)}\nReply with context, a text, and if known with sessions, the ids that it comes from.`,
    );
  }
  const { context, sessions } = parsed.data;
  const known = new Set(recall.sessions.map(({ id }) => id));
  const unknown = sessions?.find((id) => !known.has(id));
  if (unknown !== undefined) {
    throw new ModelError(
      'bad-request',
      `${name} named the session ${JSON.stringify(unknown)}, which this user does not have. Reply with ids of sessions that were added since the last reset of the user.`,
    );
  }
  return omitUndefined({
    context,
    sessions: sessions && [...new Set(sessions)],
    addMs: Math.round(added - start),
    queryMs: Math.round(queried - added),
  });
}

/** @throws the error that a memory system reported */
function refuseFailure(reply: unknown, name: string, type: string): void {
  const failed = failedReplySchema.safeParse(reply);
  if (!failed.success) return;
  const { error, retryAfterMs } = failed.data;
  const message = `${name} failed at ${type}: ${error.replaceAll(/\s+/g, ' ').slice(0, LONGEST_QUOTE)}`;
  throw retryAfterMs === undefined
    ? new Error(message)
    : new ModelError('unavailable', message, retryAfterMs);
}

const LONGEST_QUOTE = 500;
