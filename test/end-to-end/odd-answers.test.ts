import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import * as z from 'zod';
import { startStandIn, type Fault, type StandIn } from '../stand-in/chat-server';
import { createTemporaryFolder } from '../temporary-folder';
import { hashDataSets, type Ended } from './command';
import { readRunTotals } from './ledgers';
import { runLoaded, runLoadedChecked } from './loaded-command';
import { readRecords } from './outputs';

/** Responses that model servers and gateways occasionally send in the middle of a run. */

const folder = createTemporaryFolder();
const inFolder = (name: string) => join(folder, name);
const CLEAN = 'clean';

let standIn: StandIn;
beforeAll(async () => {
  standIn = await startStandIn();
  expect(await synth(CLEAN)).toMatchObject({ code: 0 });
});
afterEach(() => {
  standIn.fault = undefined;
});
afterAll(() => standIn.goDown());

/** Runs `cupid synth` for two personas of 8 dialogues, of at most two user messages. */
function synth(name: string, ...options: readonly string[]): Promise<Ended> {
  return runLoaded(synthOf(name, ...options));
}

function synthOf(name: string, ...options: readonly string[]): string[] {
  const size = ['--n-personas=2', '--n-sessions=9', '--max-turns=2', '--concurrency=8'];
  return ['synth', '--output-dir', inFolder(name), '--model', standIn.spec, ...size, ...options];
}

const NOT_JSON: Fault = { status: 200, body: '{"logprob": NaN}' };

test('one such answer each in the middle of a run costs a call, and changes nothing', async () => {
  const odd: Readonly<Record<number, Fault>> = {
    10: { status: 200, body: { choices: [] } },
    14: { status: 200, body: { choices: null, error: { message: 'Slow down', code: '429' } } },
    18: { status: 200, body: '<!doctype html><title>Maintenance</title>' },
    22: NOT_JSON,
    26: { status: 429, retryAfter: 0 },
    30: { status: 503, retryAfter: 0 },
  };
  const before = standIn.received.length;
  standIn.fault = (request) => odd[request - before];
  expect(await synth('odd')).toMatchObject({ code: 0 });
  const { failures } = await readRunTotals(inFolder('odd'));
  expect(failures).toEqual({ 'invalid-response': 2, 'rate-limit': 2, unavailable: 2 });
  expect(await hashDataSets(inFolder('odd'))).toEqual(await hashDataSets(inFolder(CLEAN)));
});

test('a request whose answer never parses is paid three times, and fails its persona only', async () => {
  const [first, second] = await readRecords(inFolder(CLEAN));
  // Only the second persona's requests hold the name of its first factor, from its journey on.
  const factor = second?.context_factors[0]?.factor ?? '';
  const asked: string[] = [];
  standIn.fault = (_, body) => {
    const text = JSON.stringify(body);
    if (!text.includes(JSON.stringify(factor).slice(1, -1))) return undefined;
    asked.push(text);
    return NOT_JSON;
  };
  const ended = await synth('never', '--json');
  expect(ended.code).toBe(3);
  expect(resultSchema.parse(JSON.parse(ended.stdout)).failures).toEqual([
    expect.objectContaining({
      persona: 2,
      kind: 'invalid-response',
      cause: expect.stringContaining('the body is not valid JSON'),
    }),
  ]);
  expect(asked).toHaveLength(3 * new Set(asked).size);
  expect(await readRecords(inFolder('never'))).toEqual([first]);
});

test('a server that never gave an answer stops the run', async () => {
  standIn.fault = { status: 200, body: '<!doctype html><title>Welcome</title>' };
  const before = standIn.received.length;
  const ended = await synth('wrong-address');
  expect(ended.code).toBe(1);
  expect(ended.stderr).toContain('a web page instead of an API response');
  // One call describes the personas.
  expect(standIn.received).toHaveLength(before + 3);
});

test('a chat template that wants the user first is learned by the check, and the data stays the same', async () => {
  const before = standIn.received.length;
  standIn.fault = (_, body) => {
    const { messages } = conversationSchema.parse(body);
    if (messages.find(({ role }) => role !== 'system')?.role !== 'assistant') return undefined;
    const message = 'Conversation roles must alternate user/assistant/user/assistant/...';
    return { status: 400, body: { object: 'error', message, type: 'BadRequestError', code: 400 } };
  };
  const ended = await runLoadedChecked(synthOf('template'));
  expect(ended).toMatchObject({ code: 0 });
  expect(ended.stderr.match(/takes no conversation that begins with the assistant/g)).toHaveLength(1);
  // Learned by the first call, which is the check's.
  expect(
    standIn.received
      .slice(before)
      .map(({ status }) => status)
      .indexOf(400),
  ).toBe(0);
  expect(standIn.count('refused', before)).toBe(1);
  const run: unknown = JSON.parse(readFileSync(join(inFolder('template'), 'run.json'), 'utf8'));
  expect(run).toMatchObject({ parameters: { user: { assistantFirst: 'rejected' } } });
  const card = readFileSync(join(inFolder('template'), 'CUPID-Unverified', 'README.md'), 'utf8');
  expect(card).toContain('“Please begin.” was sent before them');
  expect(await hashDataSets(inFolder('template'))).toEqual(await hashDataSets(inFolder(CLEAN)));
});

const conversationSchema = z.object({ messages: z.array(z.object({ role: z.string() })) });

const resultSchema = z.object({ failures: z.array(z.looseObject({})) });
