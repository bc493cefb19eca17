import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import * as z from 'zod';
import { startStandIn, type Fault, type StandIn } from '../stand-in/chat-server';
import { createTemporaryFolder } from '../temporary-folder';
import { startCupid } from './command';
import { countJournalEntries, untilJournalHas } from './journal';
import { readRunLedger } from './ledgers';
import { runLoaded } from './loaded-command';
import { interrupt } from './processes';

/** Behind OpenAI's own SDK: a stand-in that rejects parameters, has no capacity, or reasons too long. */

const folder = createTemporaryFolder();
const SPEC = 'openai:gpt-99';
/** The smallest run: 8 dialogues of at most two user messages. */
const SIZE = ['--n-personas=1', '--n-sessions=9', '--max-turns=2', '--concurrency=8'];

let standIn: StandIn;
beforeEach(async () => {
  standIn = await startStandIn();
});
afterEach(() => standIn.goDown());

const start = (run: string, ...options: string[]) => startCupid(...commandOf(run, options));
const finish = (run: string, ...options: string[]) => runLoaded(...commandOf(run, options));

function commandOf(run: string, options: string[]): [args: string[], environment: Record<string, string>] {
  return [
    ['synth', '--output-dir', run, '--model', SPEC, ...SIZE, ...options],
    { OPENAI_API_KEY: 'sk-test', OPENAI_BASE_URL: standIn.url },
  ];
}

/** Rejects a request that has one of these parameters. */
function rejecting(...parameters: string[]) {
  return (_: number, body: unknown): Fault | undefined => {
    const param = parameters.find((name) => Object.hasOwn(z.looseObject({}).parse(body), name));
    if (param === undefined) return undefined;
    const message = `Unsupported parameter: '${param}' is not supported with this model.`;
    return {
      status: 400,
      error: { message, type: 'invalid_request_error', param, code: 'unsupported_parameter' },
    };
  };
}

test('rejected parameters are left out, also after a restart, and run.json and the card say so', async () => {
  const run = join(folder, 'rejected');
  standIn.latency = 50;
  standIn.fault = rejecting('temperature', 'seed');
  const first = start(run);
  await untilJournalHas(run, 12, first);
  await interrupt(first);
  expect(first.stderr().match(/rejected a parameter/g)).toHaveLength(2);
  const before = standIn.received.length;
  const second = await finish(run);
  expect(second).toMatchObject({ code: 0 });
  // Rejected only before: a call in flight at a time for each.
  expect(standIn.count('refused', before)).toBe(0);
  expect(second.stderr).not.toContain('rejected a parameter');
  const { parameters } = z
    .object({ parameters: z.record(z.string(), z.looseObject({})) })
    .parse(JSON.parse(readFileSync(join(run, 'run.json'), 'utf8')));
  for (const sent of Object.values(parameters)) {
    expect(sent).toEqual({ seed: false, tokenLimit: expect.any(Number) });
  }
  const card = readFileSync(join(run, 'CUPID-Unverified', 'README.md'), 'utf8');
  expect(card).toMatch(/\| user \| the model's \| the model's \| no \|/);
});

test('a full flex tier is waited for and left after its time; it is no outage, and nothing is asked twice', async () => {
  const run = join(folder, 'flex');
  standIn.fault = (_, body) =>
    Object.hasOwn(z.looseObject({}).parse(body), 'service_tier')
      ? {
          status: 429,
          error: {
            type: 'resource_unavailable',
            code: 'flex_unavailable',
            message: 'Try standard processing.',
          },
        }
      : undefined;
  const first = start(run, '--tier', `${SPEC} flex`, '--tier-fallback', '4s');
  await untilJournalHas(run, 12, first);
  await interrupt(first);
  const rows = await readRunLedger(run);
  expect(rows.every(({ tier, calls }) => tier === undefined || calls === 0)).toBe(true);
  const kinds = new Set(rows.flatMap(({ failures }) => Object.keys(failures)));
  expect([...kinds]).toEqual(['no-capacity']);
  expect(first.stderr()).not.toMatch(/unavailable since|rate limit/i);
  // There is room again; what was answered in the standard tier is not asked again.
  standIn.fault = undefined;
  const answered = standIn.count('answered');
  expect(await finish(run)).toMatchObject({ code: 0 });
  const after = await readRunLedger(run);
  const flex = after.filter(({ tier }) => tier === 'flex').reduce((sum, { calls }) => sum + calls, 0);
  expect(flex).toBe(standIn.count('answered') - answered);
  expect(standIn.count('answered')).toBe(await countJournalEntries(run));
});

test('a model that reasons until its limit gets more room once, for all later calls of the run', async () => {
  const run = join(folder, 'reasoning');
  const limits: number[] = [];
  standIn.reasoning = (limit) => {
    limits.push(limit);
    return limit < 6_000 ? limit : undefined;
  };
  const { code, stdout, stderr } = await finish(run, '--settings', settingsFile());
  expect({ code, stdout }).toMatchObject({ code: 0, stdout: expect.stringContaining('no failures') });
  // The first call describes the personas.
  const [first, ...later] = limits;
  expect([first, new Set(later)]).toEqual([3_000, new Set([19_384])]);
  expect(stderr.match(/gpt-99 gets 16,384 tokens more in each call/g)).toHaveLength(1);
  // The limit was the problem, so no repeated request quotes a bad answer.
  expect(standIn.misunderstood).toEqual([]);
});

test('a model that never stops reasoning is asked twice, and the failure says what to set', async () => {
  const limits: number[] = [];
  standIn.reasoning = (limit) => {
    limits.push(limit);
    return limit;
  };
  const ended = await finish(join(folder, 'endless'), '--settings', settingsFile(), '--json');
  expect(ended.code).toBe(3);
  expect(limits).toEqual([3_000, 19_384]);
  const cause = /after 2 attempts; .*reasoning used up .* step describe, set in --settings: reasoningEffort/;
  expect(ended.stdout).toMatch(cause);
});

function settingsFile(): string {
  const steps = ['describe', 'factors', 'journey', 'checklist', 'user', 'assistant'];
  const file = join(folder, 'settings.json');
  writeFileSync(
    file,
    JSON.stringify({ steps: Object.fromEntries(steps.map((step) => [step, { maxTokens: 3_000 }])) }),
  );
  return file;
}
