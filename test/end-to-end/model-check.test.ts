import { existsSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import * as z from 'zod';
import { startStandIn } from '../stand-in/chat-server';
import { writeInstances } from './results';
import { createTemporaryFolder } from '../temporary-folder';
import { startChecked, type Ended } from './command';
import { runLoaded, runLoadedChecked } from './loaded-command';
import { ScriptedServer, type Scripted } from './scripted-server';
import { kill } from './processes';

const folder = createTemporaryFolder();

/** OpenAI's errors, by model. */
const ANSWERS: Readonly<Record<string, Scripted>> = {
  'gpt-6-lune': {
    status: 404,
    code: 'model_not_found',
    message: 'The model `gpt-6-lune` does not exist or you do not have access to it.',
  },
  'gpt-4.1-nano': {
    status: 404,
    code: 'model_not_found',
    message: 'The model `gpt-4.1-nano` has been deprecated.',
  },
  'gpt-6-luna': { status: 400, code: null, message: 'Unsupported service_tier: flex' },
  'gpt-6-sol': { status: 401, code: 'invalid_api_key', message: 'Incorrect API key provided.' },
};

let server: ScriptedServer;

beforeAll(async () => {
  server = await ScriptedServer.start(({ model }) => ANSWERS[model] ?? '');
});
afterAll(() => server[Symbol.asyncDispose]());

/** Returns the models that were asked since the last call, sorted. */
function listAsked(): string[] {
  return server.asked
    .splice(0)
    .map(({ model }) => model)
    .toSorted();
}

test('what keeps models from answering is listed at once, with remedies, and nothing else is asked or left behind', async () => {
  const { code, stderr } = await synth(
    'refused',
    '--model=openai:gpt-6-lune',
    '--user-model=openai:gpt-4.1-nano',
    '--assistant-model=openai:gpt-6-luna',
    '--tier=openai:gpt-6-luna flex',
  );
  expect(code).toBe(1);
  expect(linesOf(stderr)).toEqual([
    expect.stringMatching(
      /^- openai:gpt-6-lune answered 404 .*Check the model name in the SPEC.* Did you mean openai:gpt-6-luna\?$/,
    ),
    expect.stringMatching(/^- openai:gpt-6-luna answered 400 .*not served in that tier\. Leave out --tier/),
    expect.stringMatching(
      /^- openai:gpt-4\.1-nano answered 404 .* Retired on 2026-10-23\. Its provider recommends gpt-5\.6-luna\.$/,
    ),
  ]);
  expect(stderr).toContain('3 models cannot be called, so nothing was started:');
  expect(listAsked()).toEqual(['gpt-4.1-nano', 'gpt-6-luna', 'gpt-6-lune']);
  expect(existsSync(join(folder, 'refused'))).toBe(false);
});

test('a wrong key is found by one call for each model', async () => {
  const { code, stderr } = await synth('wrong-key', '--model=openai:gpt-6-sol');
  expect(code).toBe(1);
  expect(linesOf(stderr)).toEqual([
    expect.stringMatching(/^- openai:gpt-6-sol answered 401 .*Check OPENAI_API_KEY/),
  ]);
  expect(listAsked()).toEqual(['gpt-6-sol']);
});

test('an evaluation checks its models and evaluators, and leaves no results behind', async () => {
  const data = join(folder, 'data.parquet');
  await writeInstances(data, 1);
  const results = join(folder, 'results');
  const models = ['--model=openai:gpt-6-lune', '--evaluator=openai:gpt-4.1-nano'];
  const command = ['eval', `--results-dir=${results}`, `--data=${data}`, ...models];
  const { code, stderr } = await runLoadedChecked(command, buildEnvironment());
  expect(code).toBe(1);
  expect(linesOf(stderr)).toHaveLength(2);
  expect(listAsked()).toEqual(['gpt-4.1-nano', 'gpt-6-lune']);
  expect(existsSync(results)).toBe(false);
});

test('doctor --check calls the models it names, and fails where one does not answer', async () => {
  const environment = buildEnvironment();
  const { code, stdout } = await runLoaded(
    ['doctor', '--json', '--check', 'openai:gpt-6-lune', 'simulated:default'],
    environment,
  );
  expect(code).toBe(1);
  expect(JSON.parse(stdout)).toEqual(
    expect.arrayContaining([
      expect.objectContaining({
        name: 'openai:gpt-6-lune',
        good: false,
        detail: 'no answer (unknown-model)',
        remedy: expect.stringContaining('Check the model name in the SPEC'),
      }),
      { name: 'simulated:default', good: true, detail: 'needs no check' },
    ]),
  );
  expect(listAsked()).toEqual(['gpt-6-lune']);
});

test('a run killed during the check starts clean; its check stands in the ledger, and once only', async () => {
  await using standIn = await startStandIn({ latency: 60_000 });
  const run = join(folder, 'killed');
  const size = ['--n-personas=1', '--n-sessions=9', '--max-turns=2'];
  const command = ['synth', `--output-dir=${run}`, `--model=${standIn.spec}`, ...size];

  const first = startChecked(command);
  await standIn.untilAsked();
  await kill(first);
  expect(standIn.received).toHaveLength(1);

  standIn.latency = 0;
  expect(await runLoadedChecked(command)).toMatchObject({ code: 0 });
  const steps = standIn.received.slice(1).map(({ step }) => step);
  expect(steps[0]).toBe('check');
  expect(steps.slice(1)).not.toContain('check');

  const { stdout } = await runLoaded(['status', run, '--json']);
  const { ledger, projection } = statusSchema.parse(JSON.parse(stdout));
  expect(ledger.find(({ step }) => step === 'check')).toMatchObject({ calls: 1, output: 1 });
  expect(projection).toBeUndefined();

  // As a command leaves it that was killed at its very end: the run is continued, and has nothing left to ask.
  const file = join(run, 'run.json');
  const finished = z
    .looseObject({ state: z.literal('finished') })
    .parse(JSON.parse(await readFile(file, 'utf8')));
  await writeFile(file, JSON.stringify({ ...finished, state: 'running' }));
  const before = standIn.received.length;
  expect(await runLoadedChecked(command)).toMatchObject({ code: 0 });
  expect(standIn.received).toHaveLength(before);
  expect(standIn.misunderstood).toEqual([]);
});

const statusSchema = z.object({
  ledger: z.array(z.looseObject({ step: z.string() })),
  projection: z.unknown().optional(),
});

async function synth(name: string, ...options: readonly string[]): Promise<Ended> {
  const args = ['synth', `--output-dir=${join(folder, name)}`, ...options];
  return runLoadedChecked(args, buildEnvironment());
}

function buildEnvironment(): Record<string, string> {
  return { OPENAI_API_KEY: 'key', OPENAI_BASE_URL: server.url };
}

/** Returns the lines of the failed models. */
function linesOf(stderr: string): string[] {
  return stderr.split('\n').filter((line) => line.startsWith('- '));
}
