import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import type { MemoryEvent } from '../../../../models/memory/client';
import { MemoryError } from '../../../../models/memory/error';
import { findMemoryProblem, openMemory } from '../../../../models/memory/memory';
import type { MemoryMessage } from '../../../../models/memory/messages';
import { recalledSchema, type Recall, type Recalled } from '../../../../schemas/evaluation/memory';
import { parseModelSpec } from '../../../../schemas/model/model-spec';
import { requestOf, UNHURRIED } from '../providers/providers';
import { createTemporaryFolder } from '../../../temporary-folder';

const folder = createTemporaryFolder();

const RECALL: Recall = {
  user: 'u1',
  sessions: ['s1', 's2', 's3'].map((id) => ({
    id,
    messages: [{ id: `${id}:t1`, role: 'user', content: `Tea ${id}` }],
  })),
  request: 'Tea?',
  budget: 100,
};

/** Does not wait between tries, and gives up after the second failure in a row. */
const QUICK = { backoffMs: () => 0, retryingMs: 0, busyMs: 0, silentMs: 60_000 };

/** Goes on trying for longer than any test. */
const PATIENT = { ...QUICK, backoffMs: () => 1, retryingMs: 600_000, busyMs: 600_000 };

test.each(['template.py', 'last_sessions.py 2', 'bm25.py 2', 'no_memory.py'])(
  'the example %s answers, and forgets a user that is reset',
  async (script) => {
    const memory = openMemory(parseModelSpec(`memory:command:python3 ${resolve('docs/memory')}/${script}`));
    const first = await ask(memory);
    expect({ ...(await ask(memory)), addMs: 0, queryMs: 0 }).toEqual({ ...first, addMs: 0, queryMs: 0 });
    const { sessions = [] } = first;
    expect(['s1', 's2', 's3']).toEqual(expect.arrayContaining([...sessions]));
    expect(first.context.includes('Tea')).toBe(sessions.length > 0);
  },
);

test('messages of one user are not interrupted by those of another, and come in order', async () => {
  const { memory } = await openProgram('print({ context: said.join(" ") });');
  const contexts = (await Promise.all([ask(memory, 'a'), ask(memory, 'b')])).map(({ context }) => context);
  expect(contexts.map(withoutSuffix)).toEqual(
    ['a', 'b'].map((user) => `reset:${user} add:${user} add:${user} add:${user} query:${user}`),
  );
});

test('a server and a module get the same messages, about a user that no other attempt has', async () => {
  const { memory, messages } = await serve(({ type }) => ({
    body: type === 'query' ? { context: 'x', sessions: ['s3', 's3'] } : {},
  }));
  expect(await ask(memory)).toMatchObject({ context: 'x', sessions: ['s3'] });
  expect(messages.map(({ type }) => type)).toEqual(['reset', 'add', 'add', 'add', 'query', 'close']);
  await ask(memory);
  const users = new Set(messages.map(({ user }) => user));
  expect([...users].map(withoutSuffix)).toEqual(['u1', 'u1']);

  const moduleMemory = await openModuleOf(
    "({ type, request }) => (type === 'query' ? { context: request } : null)",
  );
  expect(await ask(moduleMemory)).toMatchObject({ context: 'Tea?' });
});

test.each([
  ['an empty error', { sessions: [], error: '' }, []],
  ['a blank error, and no wait', { sessions: ['s1'], error: ' \n', retryAfterMs: 0 }, ['s1']],
  ['null in place of absent fields', { sessions: null, error: null, retryAfterMs: null }, undefined],
])('a reply may have every field: %s is no failure', async (_, fields, sessions) => {
  const { memory } = await serve(() => ({ body: { context: 'x', ...fields } }));
  const recalled = await ask(memory);
  expect([recalled.context, recalled.sessions]).toEqual(['x', sessions]);
});

describe('a message is sent again by itself', () => {
  test.each<[string, Fault]>([
    ['a lost connection', { isDropped: true }],
    ['429 with a time', { status: 429, headers: { 'retry-after-ms': '1' } }],
    ['429 without a time', { status: 429 }],
    ['500', { status: 500, body: { error: 'Tea' } }],
    ['503', { status: 503 }],
    ['a request to wait', { body: { error: 'busy', retryAfterMs: 1 } }],
  ])('after %s', async (_, fault) => {
    const { memory, messages } = await serve(failEvery(3, fault), PATIENT);
    expect((await ask(memory)).context).toBe('Tea s1 Tea s2 Tea s3');
    expect(new Set(messages.map(({ user }) => user)).size).toBe(1);
    const repeated = messages.flatMap((message) => ('repeated' in message ? [message.session.id] : []));
    expect(repeated).toEqual(['s2']);
  });

  test('not when the user may be forgotten: a program that ended gets another user from the start', async () => {
    const { memory } = await openProgram(
      `if (!existsSync(file + '.died')) { writeFileSync(file + '.died', ''); process.exit(1); }
       print({ context: said.join(' ') });`,
    );
    expect(withoutSuffix((await ask(memory)).context)).toBe('reset:u1 add:u1 add:u1 add:u1 query:u1');
  });

  test('not when the worker stops', async () => {
    const stopping = new AbortController();
    const reason = new Error('The worker is stopping.');
    const { memory } = await serve(() => {
      stopping.abort(reason);
      return { status: 503 };
    }, PATIENT);
    await expect(memory.ask(requestFor('u1'), UNHURRIED, { stopping: stopping.signal })).rejects.toBe(reason);
  });
});

describe('no reply of a memory becomes the state of a model', () => {
  const FAILS = 'memory-failed';
  test.each<[string, Fault, string, RegExp]>([
    [
      'the context length of its embedder',
      {
        status: 400,
        body: {
          error: {
            message: "This model's maximum context length is 8192 tokens",
            code: 'context_length_exceeded',
          },
        },
      },
      FAILS,
      /answered 400 to add: This model's maximum context length is 8192 tokens\. .*It was tried 3 times/,
    ],
    ['413', { status: 413 }, FAILS, /answered 413 to add\. A session is too large for the server/],
    [
      'a content filter',
      { status: 400, body: { error: { message: 'Blocked by content policy', code: 'content_filter' } } },
      FAILS,
      /answered 400 to add: Blocked by content policy/,
    ],
    [
      '402',
      { status: 402, body: { error: 'no credit' } },
      FAILS,
      /answered 402 to add: no credit\. Look at the log/,
    ],
    [
      '404',
      { status: 404, body: { detail: 'no such user' } },
      FAILS,
      /answered 404 to add: no such user\. Look at the log/,
    ],
    [
      'an error of its own',
      { body: { error: 'no index' } },
      FAILS,
      /failed at add: no index\. It was tried 3 times/,
    ],
    [
      'an error beside empty fields',
      { body: { context: '', sessions: null, error: 'no index', retryAfterMs: null } },
      FAILS,
      /failed at add: no index\. It was tried 3 times/,
    ],
    [
      '500 again and again',
      { status: 500, body: { error: 'bug' } },
      FAILS,
      /answered 500 to add: bug\. .*It was sent/,
    ],
    [
      '429 again and again',
      { status: 429 },
      'memory-away',
      /answered 429 to add\. The message is sent again/,
    ],
  ])('%s', async (_, fault, kind, message) => {
    const { memory } = await serve(({ type }) => (type === 'add' ? fault : {}), QUICK);
    const error = await fail(memory);
    expect(error).toMatchObject({ name: 'MemoryError', kind, message: expect.stringMatching(message) });
    expect(String(error)).not.toMatch(/SPEC|key that|status of the provider/);
  });

  test.each([
    ['status: 413', FAILS],
    ["kind: 'context-length'", FAILS],
    ["kind: 'refused'", FAILS],
    ["kind: 'bad-key'", FAILS],
    ['status: 429', 'memory-away'],
  ])('a module that throws { %s }', async (thrown, kind) => {
    const memory = await openModuleOf(
      `({ type }) => { if (type === 'add') throw Object.assign(new Error('no room'), { ${thrown} }); }`,
    );
    const error = await fail(memory);
    expect(error).toMatchObject({
      kind,
      message: expect.stringMatching(/^memory:module-\d+\.cjs failed: Error: no room/),
    });
  });

  test('twenty users in a row that fail stop the run', async () => {
    const { memory } = await serve(({ type }) => (type === 'query' ? { body: { error: 'no index' } } : {}));
    const kinds = [];
    for (let user = 0; user < 20; user += 1) kinds.push((await fail(memory)).kind);
    expect(kinds).toEqual([...Array.from({ length: 19 }, () => FAILS), 'memory-set-up']);
  });
});

describe('a memory that never answered is a wrong configuration', () => {
  test.each<[string, Fault, RegExp]>([
    [
      '404',
      { status: 404, body: { detail: 'Not Found' } },
      /answered 404 to reset: Not Found\. Check the URL of --memory/,
    ],
    [
      '401',
      { status: 401, body: { error: 'token' } },
      /answered 401 to reset: token\. The server requires a key/,
    ],
    [
      '422',
      { status: 422, body: { detail: 'no field q' } },
      /answered 422 to reset: no field q\. .*docs\/own-model\.md/,
    ],
    [
      '307',
      { status: 307, headers: { location: 'http://b/m' } },
      /answered 307 to reset\. It redirects to http:\/\/b\/m/,
    ],
    ['a web page', { text: '<html>' }, /body that is not JSON: <html> Check the URL of --memory/],
  ])('%s', async (_, fault, message) => {
    const { memory, url, spec } = await serve(() => fault);
    const expected = { message: expect.stringMatching(message) };
    expect(await fail(memory)).toMatchObject({ kind: 'memory-set-up', ...expected });
    expect(await findMemoryProblem(spec, UNHURRIED)).toMatchObject({ isFatal: true, ...expected });
    expect(String(await fail(memory))).toContain(`memory:${url} `);
  });

  test.each([
    ['command:no-such-program-x', /could not be started: .*Check the command of --memory/],
    ['command:node -e 0', /ended with exit code 0 before its first reply/],
    [
      'command:node -p 42',
      /wrote a line to standard output that is not a reply \(a JSON object\): "42"\. .*standard error/,
    ],
    ['module:./no-such-file.mjs', /There is no file/],
  ])('%s', async (adapter, message) => {
    const spec = parseModelSpec(`memory:${adapter}`);
    const expected = { message: expect.stringMatching(message) };
    expect(await fail(openMemory(spec))).toMatchObject({ kind: 'memory-set-up', ...expected });
    expect(await findMemoryProblem(spec, UNHURRIED)).toMatchObject({ isFatal: true, ...expected });
  });

  test('a module without a function', async () => {
    expect(await fail(await openModuleOf('42'))).toMatchObject({
      kind: 'memory-set-up',
      message: expect.stringMatching(/no default export that is a function\. .*=> \(type === 'query'/),
    });
  });

  test('a refused connection is named before the run, and waited for during it', async () => {
    const { server, spec } = await serve(() => ({}));
    await new Promise((closed) => server.close(closed));
    const message = expect.stringMatching(/ECONNREFUSED.* Nothing listens there: start the memory server/);
    expect(await findMemoryProblem(spec, UNHURRIED)).toMatchObject({ isFatal: true, message });
    expect(await fail(openMemory(spec, { timing: QUICK }))).toMatchObject({ kind: 'memory-away', message });
  });

  test.each([503, 429])('%i may pass', async (status) => {
    const { spec } = await serve(() => ({ status }));
    expect(await findMemoryProblem(spec, UNHURRIED)).toMatchObject({ isFatal: false });
  });

  test('one that answers has no problem', async () => {
    const { spec, messages } = await serve(() => ({ status: 204 }));
    expect(await findMemoryProblem(spec, UNHURRIED)).toBeUndefined();
    expect(messages.map(({ type }) => type)).toEqual(['reset', 'close']);
  });
});

describe('time', () => {
  const TIMED_OUT =
    /did not reply to query within 10 min\. This was its second timeout .*--memory-timeout 30m/;

  test.each([
    ['one timeout passes', 1, [1], []],
    ['a second one of the same user is an error', 2, [1], ['memory-failed']],
    [
      'two users that time out one after the other stop the run',
      4,
      [1, 1],
      ['memory-failed', 'memory-set-up'],
    ],
    ['two side by side do not: it may have hung once', 4, [2], ['memory-failed', 'memory-failed']],
  ])('%s', async (_, silences, groups, kinds) => {
    const memory = await openModuleOf(
      `({ type, user }) => {
         if (type !== 'query' || !user.startsWith('slow')) return { context: '' };
         globalThis.silences -= 1;
         return globalThis.silences < 0 ? { context: '' } : new Promise(() => {});
       }`,
      PATIENT,
    );
    Reflect.set(globalThis, 'silences', silences);
    // Loads the file.
    await ask(memory);
    jest.useFakeTimers({ doNotFake: ['setImmediate', 'nextTick', 'performance'] });
    const errors: unknown[] = [];
    for (const users of groups) {
      const progress = { left: users };
      for (let user = 0; user < users; user += 1) {
        ask(memory, 'slow')
          .catch((error: unknown) => void errors.push(error))
          .finally(() => (progress.left -= 1));
      }
      while (progress.left > 0) {
        await new Promise((done) => setImmediate(done));
        jest.advanceTimersByTime(600_000);
      }
    }
    expect(errors).toEqual(
      kinds.map((kind) => expect.objectContaining({ kind, message: expect.stringMatching(TIMED_OUT) })),
    );
  });

  test('a program that does not flush its replies is explained, and stops the run', async () => {
    const events: MemoryEvent[] = [];
    const program = join(folder, 'silent.mjs');
    await writeFile(program, 'process.stdin.resume();');
    const spec = parseModelSpec(`memory:command:node ${program}`);
    const observe = (event: MemoryEvent) => void events.push(event);
    const memory = openMemory(spec, { timeoutMs: 500, observe, timing: { ...PATIENT, silentMs: 10 } });
    const errors = await Promise.all([fail(memory), fail(memory)]);
    expect(errors[0]).toMatchObject({
      kind: 'memory-set-up',
      message: expect.stringMatching(/flush standard output.*second timeout/),
    });
    // The next user in the queue does not time out as well.
    expect(errors[1]).toBe(errors[0]);
    const explained = events.find(({ type }) => type === 'noticed');
    expect(explained).toMatchObject({
      message: expect.stringMatching(/has not replied to its first message .*print\(…, flush=True\)/),
    });
    const silences = events.flatMap((event) => (event.type === 'silent' ? [event.message?.kind] : []));
    expect(silences).toEqual(['reset', undefined, 'reset', undefined]);
  });

  test('a program ends when no message follows, though this process goes on', async () => {
    const end = new AbortController();
    const { memory } = await openProgram('print({ context: String(process.pid) });', undefined, end.signal);
    const program = Number((await ask(memory)).context);
    process.kill(program, 0);
    end.abort();
    while (isAlive(program)) await wait(20);
  });

  test('Python does not buffer what the program prints', async () => {
    const program = join(folder, 'unflushed.py');
    await writeFile(
      program,
      'import json, sys\nfor line in sys.stdin:\n    print(json.dumps({"context": json.loads(line)["type"]}))\n',
    );
    expect((await ask(openMemory(parseModelSpec(`memory:command:python3 ${program}`)))).context).toBe(
      'query',
    );
  });
});

describe('replies', () => {
  test.each<[string, Fault]>([
    ['204', { status: 204 }],
    ['an empty body', { text: '' }],
    ['null', { text: 'null' }],
    ['a text', { text: '"ok"' }],
  ])('%s answers every message but the query', async (_, reply) => {
    const { memory } = await serve(({ type }) => (type === 'query' ? { body: { context: 'x' } } : reply));
    expect((await ask(memory)).context).toBe('x');
  });

  test.each<[string, Fault, RegExp]>([
    ['202', { status: 202 }, /answered 202 \(accepted\) to add/],
    [
      'an empty context',
      {},
      /returned nothing for 3 of 3 instances\. add must return when the session can be found/,
    ],
  ])('%s is noticed', async (_, reply, notice) => {
    const notices: string[] = [];
    const { spec } = await serve(({ type }) => (type === 'query' ? { body: { context: '\n' } } : reply));
    const memory = openMemory(spec, {
      observe: (event) => event.type === 'noticed' && notices.push(event.message),
    });
    const recalled = await Promise.all(['a', 'b', 'c'].map((user) => ask(memory, user)));
    expect(notices).toContainEqual(expect.stringMatching(notice));
    expect(recalled.map(({ unfinishedMessages }) => unfinishedMessages)).toEqual(
      recalled.map(() => (reply.status === 202 ? 4 : undefined)),
    );
  });

  test.each([
    ['text that is no JSON', 'console.log("Loading …");', 'is not a reply (a JSON object): "Loading …"'],
    ['a number', 'console.log(42);', 'is not a reply (a JSON object): "42"'],
    ['a progress bar', 'process.stdout.write("50%|###|\\r"); print({ context: "" });', '"50%|###|\\r{'],
    ['a reply without a context', 'print({});', 'field context'],
    ['an unknown session', 'print({ context: "", sessions: ["s9"] });', 'session "s9"'],
    ['an error', 'print({ error: "no index" });', 'failed at query: no index'],
    ['an error with a password', 'print({ error: "no postgres://kim:pw@db/m" });', ': no postgres://db/m.'],
    ['a line with a key', 'console.log("of sk-0123456789");', '"of [key]"'],
    ['an end with a key', 'console.error("of sk-0123456789"); process.exit(3);', 'exit code 3: of [key].'],
    ['the end of the program', 'console.error("KeyError: 1"); process.exit(3);', 'exit code 3: KeyError: 1'],
  ])('%s of a program is an error of the memory', async (_, reply, message) => {
    const { memory } = await openProgram(reply);
    const error = await fail(memory);
    expect(error).toMatchObject({ kind: 'memory-failed', message: expect.stringContaining(message) });
    expect(String(error)).toMatch(/^MemoryError: memory:node program-\d+\.mjs /);
  });

  test('a context that was cut within a character is used, because its row could not be stored otherwise', async () => {
    const { memory } = await serve(() => ({ text: '{"context":"tea \\ud83c"}' }));
    expect((await ask(memory)).context).toBe('tea \uFFFD');
  });

  test('a line that replies to no message is an error, because replies and messages may no longer belong together', async () => {
    const { memory } = await openProgram('print({ context: "" });', 'print({}); console.log("done");');
    expect(await fail(memory)).toMatchObject({
      kind: 'memory-failed',
      message: expect.stringMatching(
        /wrote a line to standard output that .*: "done"\. .*print everything else to standard error/,
      ),
    });
  });

  test('what follows the context does not lose it', async () => {
    const notices: string[] = [];
    const { spec } = await serve(({ type }) =>
      type === 'close' ? { status: 404, text: 'unknown' } : { body: { context: 'x' } },
    );
    const memory = openMemory(spec, {
      observe: (event) => event.type === 'noticed' && notices.push(event.message),
    });
    expect((await ask(memory)).context).toBe('x');
    expect(notices).toEqual([
      expect.stringMatching(/answered 404 to close: unknown.* Its answers are used all the same/),
    ]);
  });

  test('U+2028 and a carriage return are in a line, not at its end', async () => {
    const { memory } = await openProgram(
      `process.stdout.write(JSON.stringify({ context: 'one\\u2028two' }) + '\\r\\n');`,
    );
    expect((await ask(memory)).context).toBe('one\u2028two');
  });
});

interface Fault {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: object;
  readonly text?: string;
  readonly isDropped?: boolean;
}

/** Fails every nth message, and keeps the sessions of all. */
function failEvery(nth: number, fault: Fault) {
  const users = new Map<string, Map<string, string>>();
  let count = 0;
  return (message: MemoryMessage): Fault => {
    count += 1;
    // Stored before its reply is lost.
    if (message.type === 'reset') users.set(message.user, new Map());
    if (message.type === 'add') {
      const { id, messages } = message.session;
      users.get(message.user)?.set(id, messages.map(({ content }) => content).join(' '));
    }
    if (count % nth === 0) return fault;
    const context = [...(users.get(message.user)?.values() ?? [])].join(' ');
    return { body: message.type === 'query' ? { context } : {} };
  };
}

const servers: Server[] = [];
afterEach(() => {
  jest.useRealTimers();
  for (const server of servers.splice(0)) {
    server.closeAllConnections();
    server.close();
  }
});

async function serve(reply: (message: MemoryMessage) => Fault, timing = QUICK) {
  const messages: MemoryMessage[] = [];
  const answer = async (request: IncomingMessage, response: ServerResponse) => {
    const message: MemoryMessage = JSON.parse(Buffer.concat(await request.toArray()).toString());
    messages.push(message);
    const fault = reply(message);
    const { status = 200, headers = {}, body = status < 300 ? {} : undefined, isDropped = false } = fault;
    const { text = body === undefined ? '' : JSON.stringify(body) } = fault;
    if (isDropped) {
      response.destroy();
      return;
    }
    response.writeHead(status, { 'content-type': 'application/json', ...headers });
    response.end(status === 204 ? '' : text);
  };
  const server = createServer((request, response) => void answer(request, response)).listen(0, '127.0.0.1');
  servers.push(server);
  await once(server, 'listening');
  const address = server.address();
  const url = `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}/memory`;
  const spec = parseModelSpec(`memory:${url}`);
  return { server, url, spec, messages, memory: openMemory(spec, { timing }) };
}

let files = 0;

async function openModuleOf(code: string, timing = QUICK) {
  files += 1;
  const file = join(folder, `module-${files}.cjs`);
  await writeFile(file, `module.exports = ${code};`);
  return openMemory(parseModelSpec(`memory:module:${file}`), { timing });
}

/** Opens a program that replies to a query by this code, and to every other message with an empty object. */
async function openProgram(onQuery: string, onOther = 'print({});', ended?: AbortSignal) {
  files += 1;
  const file = join(folder, `program-${files}.mjs`);
  await writeFile(
    file,
    `import { createInterface } from 'node:readline';
     import { existsSync, writeFileSync } from 'node:fs';
     const file = ${JSON.stringify(file)};
     const print = (reply) => console.log(JSON.stringify(reply));
     let said = [];
     for await (const line of createInterface({ input: process.stdin })) {
       const { type, user } = JSON.parse(line);
       if (type === 'reset') said = [];
       said.push(type + ':' + user);
       if (type !== 'query') { ${onOther} }
       else { ${onQuery} }
     }`,
  );
  const spec = parseModelSpec(`memory:command:node ${file}`);
  return { memory: openMemory(spec, { timing: QUICK, ...(ended && { ended }) }) };
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

type Memory = ReturnType<typeof openMemory>;

function requestFor(user: string) {
  const content = JSON.stringify({ ...RECALL, user });
  return requestOf({ step: 'recall', messages: [{ role: 'user', content }] });
}

async function ask(memory: Memory, user = RECALL.user): Promise<Recalled> {
  const { text } = await memory.ask(requestFor(user), UNHURRIED);
  return recalledSchema.parse(JSON.parse(text));
}

async function fail(memory: Memory): Promise<MemoryError> {
  try {
    await memory.ask(requestFor('u1'), UNHURRIED);
  } catch (error) {
    if (error instanceof MemoryError) return error;
    throw error;
  }
  throw new Error('The recall did not fail.');
}

function withoutSuffix(text: string): string {
  return text.replaceAll(/-[\da-f]{12}\b/g, '');
}
