import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { ModelError } from '../../../../models/errors/error';
import { openMemory } from '../../../../models/memory/memory';
import type { Recall } from '../../../../schemas/evaluation/memory';
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

test.each(['template.py', 'last_sessions.py 2', 'bm25.py 2', 'no_memory.py'])(
  'the example %s answers, and forgets a user that is reset',
  async (script) => {
    const memory = openMemory(parseModelSpec(`memory:command:python3 ${resolve('docs/memory')}/${script}`));
    const first = await ask(memory);
    expect(await ask(memory)).toEqual(first);
    const { sessions = [] } = first;
    expect(['s1', 's2', 's3']).toEqual(expect.arrayContaining([...sessions]));
    expect(first.context.includes('Tea')).toBe(sessions.length > 0);
  },
);

test('messages of one user are not interrupted by those of another, and come in order', async () => {
  const memory = await openProgram('console.log(JSON.stringify({ context: said.join(" ") }));');
  const contexts = (await Promise.all([ask(memory, 'a'), ask(memory, 'b')])).map(({ context }) => context);
  expect(contexts).toEqual(
    ['a', 'b'].map((user) => `reset:${user} add:${user} add:${user} add:${user} query:${user}`),
  );
});

test('a server and a module get the same messages', async () => {
  const types: string[] = [];
  const reply = async (request: IncomingMessage, response: ServerResponse) => {
    const { type }: { type: string } = JSON.parse(Buffer.concat(await request.toArray()).toString());
    types.push(type);
    response.setHeader('content-type', 'application/json');
    response.end(JSON.stringify(type === 'query' ? { context: 'served', sessions: ['s3', 's3'] } : {}));
  };
  const server = createServer((request, response) => void reply(request, response)).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  const port = typeof address === 'object' ? address?.port : undefined;
  const served = await ask(openMemory(parseModelSpec(`memory:http://127.0.0.1:${port}/memory`)));
  server.close();
  expect(served).toMatchObject({ context: 'served', sessions: ['s3'] });
  expect(types).toEqual(['reset', 'add', 'add', 'add', 'query', 'close']);

  const file = join(folder, 'memory.cjs');
  await writeFile(
    file,
    "module.exports = ({ type, request }) => (type === 'query' ? { context: request } : null);",
  );
  expect(await ask(openMemory(parseModelSpec(`memory:module:${file}`)))).toMatchObject({ context: 'Tea?' });
});

test.each([
  ['text that is no JSON', 'console.log("Loading …");', 'bad-request', 'not JSON: "Loading …"'],
  ['a reply without a context', 'console.log("{}");', 'bad-request', 'field context'],
  ['an unknown session', 'console.log(\'{"context":"","sessions":["s9"]}\');', 'bad-request', 'session "s9"'],
  [
    'a request to wait',
    'console.log(\'{"error":"busy","retryAfterMs":500}\');',
    'unavailable',
    'at query: busy',
  ],
  ['an error', 'console.log(\'{"error":"no index"}\');', undefined, 'failed at query: no index'],
  [
    'the end of the program',
    'console.error("KeyError: 1"); process.exit(3);',
    'connection',
    'exit code 3: KeyError: 1',
  ],
])('%s is an error of the memory', async (_, reply, kind, message) => {
  const memory = await openProgram(reply);
  const error: unknown = await ask(memory).catch((reason: unknown) => reason);
  expect(error).toMatchObject({ message: expect.stringContaining(message) });
  expect(error).toMatchObject({ message: expect.stringMatching(/^memory:node program-\d+\.mjs /) });
  expect(error instanceof ModelError ? error.kind : undefined).toBe(kind);
});

test('a program that never replied is a wrong configuration', async () => {
  const missing = openMemory(parseModelSpec('memory:command:no-such-program-x'));
  await expect(ask(missing)).rejects.toMatchObject({
    kind: 'bad-request',
    message: expect.stringContaining('could not be started'),
  });
  const ending = openMemory(parseModelSpec('memory:command:node -e 0'));
  await expect(ask(ending)).rejects.toMatchObject({ kind: 'bad-request' });
});

test('a program that ended is started again', async () => {
  const died = join(folder, 'died');
  const memory = await openProgram(
    `if (!existsSync(${JSON.stringify(died)})) { writeFileSync(${JSON.stringify(died)}, ''); process.exit(1); }
     console.log(JSON.stringify({ context: said.join(' ') }));`,
  );
  await expect(ask(memory)).rejects.toMatchObject({ kind: 'connection' });
  expect((await ask(memory)).context).toBe('reset:u1 add:u1 add:u1 add:u1 query:u1');
});

let programs = 0;

/** Opens a program that replies to every message with an empty object, and to a query by this code. */
async function openProgram(onQuery: string) {
  programs += 1;
  const file = join(folder, `program-${programs}.mjs`);
  await writeFile(
    file,
    `import { createInterface } from 'node:readline';
     import { existsSync, writeFileSync } from 'node:fs';
     let said = [];
     for await (const line of createInterface({ input: process.stdin })) {
       const { type, user } = JSON.parse(line);
       if (type === 'reset') said = [];
       said.push(type + ':' + user);
       if (type !== 'query') console.log('{}');
       else { ${onQuery} }
     }`,
  );
  return openMemory(parseModelSpec(`memory:command:node ${file}`));
}

async function ask(memory: ReturnType<typeof openMemory>, user = RECALL.user) {
  const content = JSON.stringify({ ...RECALL, user });
  const request = requestOf({ step: 'recall', messages: [{ role: 'user', content }] });
  const { text } = await memory.ask(request, UNHURRIED);
  const { context, sessions }: { context: string; sessions?: readonly string[] } = JSON.parse(text);
  return { context, ...(sessions === undefined ? {} : { sessions }) };
}
