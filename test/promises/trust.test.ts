import { cpSync, existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { sealJson } from '../../data/store/stored-json';
import { pathToFileURL } from 'node:url';
import { FOLDER_FORMAT } from '../../schemas/run/folder-format';
import { runInputsSchema } from '../../schemas/run/run';
import { startStandIn, type StandIn } from '../stand-in/chat-server';
import { createTemporaryFolder } from '../temporary-folder';
import { buildBareEnvironment, skipModelCheck } from '../end-to-end/command';
import { LoadedCommand, runLoaded } from '../end-to-end/loaded-command';
import { expectRefusal, readFilesBelow } from '../end-to-end/refusal';
import { writeInstances } from '../end-to-end/results';

const folder = createTemporaryFolder();
const inFolder = (name: string) => join(folder, name);

/** A module that leaves a trace where it is loaded or called, and answers nothing. */
const MODULE = inFolder('module.mjs');
const TRACE = inFolder('trace');
const SENT = inFolder('sent');
const EVALUATED = inFolder('evaluated');
const DATA = inFolder('data.parquet');

/** A process for commands that may load the module, since a process loads it only once. */
const trusting = new LoadedCommand(() => ({}));
const runTrusting = (args: readonly string[]) => trusting.run(skipModelCheck(args), buildBareEnvironment());

let standIn: StandIn;
let synth: string[];

beforeAll(async () => {
  standIn = await startStandIn();
  writeFileSync(
    MODULE,
    `import { writeFileSync } from 'node:fs';
     const trace = () => writeFileSync(new URL(${JSON.stringify(pathToFileURL(TRACE).href)}), 'run');
     trace();
     export default () => { trace(); throw Object.assign(new Error('no'), { kind: 'refused' }); };`,
  );
  const models = [`--model=${standIn.spec}`, `--assistant-model=module:${MODULE}`];
  synth = [...models, '--n-personas=1', '--n-sessions=9'];
  // Every dialogue fails at its first turn.
  expect(await runTrusting(['synth', `--output-dir=${SENT}`, ...synth])).toMatchObject({ code: 3 });
  await writeInstances(DATA, 1);
  const evaluators = [`--model=module:${MODULE}`, `--evaluator=${standIn.spec}`];
  const evaluation = ['eval', `--results-dir=${EVALUATED}`, `--data=${DATA}`, ...evaluators];
  expect(await runTrusting([...evaluation, '--limit=1'])).toMatchObject({ code: 3 });
  expect(existsSync(TRACE)).toBe(true);
});
afterAll(() => standIn.goDown());

describe('a run folder that someone else sent', () => {
  const received = inFolder('received');
  beforeAll(() => cpSync(SENT, received, { recursive: true }));

  test('has its models asked only after --trust, which is remembered for this folder', async () => {
    const effects = [
      `- ${standIn.spec} sends the prompts, and OPENAI_COMPATIBLE_API_KEY if it is set, to 127.0.0.1:`,
      `- module:${MODULE} runs the code in ${MODULE}`,
    ];
    await expectUntouched(received, async () => {
      const ended = await runLoaded(['retry', received, '--concurrency', '4']);
      expectRefusal(ended, 2, [
        ...effects,
        `run: cupid retry ${received} --concurrency 4 --no-check --trust`,
      ]);
    });
    expect(await runTrusting(['retry', received, '--trust'])).toMatchObject({ code: 3 });
    expect(existsSync(TRACE)).toBe(true);
    expect(await runTrusting(['retry', received])).toMatchObject({ code: 3 });
  });

  test('asks nothing through cupid worker either', async () => {
    const driven = inFolder('driven');
    cpSync(SENT, driven, { recursive: true });
    const file = join(driven, 'run.json');
    writeFileSync(file, readFileSync(file, 'utf8').replace('"finished"', '"running"'));
    await expectUntouched(driven, async () => {
      expectRefusal(await runLoaded(['worker', driven]), 2, [
        `module:${MODULE} runs the code`,
        `run: cupid worker ${driven} --trust`,
      ]);
    });
  });

  test('does not add models to those that a command names', async () => {
    const altered = inFolder('altered');
    cpSync(SENT, altered, { recursive: true });
    const file = join(altered, '.cupid', 'inputs', 'run.json');
    const inputs = runInputsSchema.parse(JSON.parse(readFileSync(file, 'utf8')));
    const model = { role: 'user', spec: 'openai-compatible:other@http://other.example/v1' };
    const restarts = [{ persona: 1, session: 1, step: 'user', turn: 1, revision: 1, model }];
    writeFileSync(file, sealJson({ format: FOLDER_FORMAT, ...inputs, restarts }));
    await expectUntouched(altered, async () => {
      const ended = await runLoaded(['synth', `--output-dir=${altered}`, ...synth]);
      expectRefusal(ended, 2, [`- ${model.spec} sends the prompts`, 'to other.example', '--trust']);
      // Models on the command line need no further consent.
      expect(ended.stderr).not.toContain('runs the code');
    });
  });
});

describe('results that someone else sent', () => {
  const received = inFolder('received-results');
  beforeAll(() => cpSync(EVALUATED, received, { recursive: true }));

  test('have their models asked again only after --trust', async () => {
    await expectUntouched(received, async () => {
      expectRefusal(await runLoaded(['retry', received]), 2, [
        `module:${MODULE} runs the code`,
        `run: cupid retry ${received} --no-check --trust`,
      ]);
    });
    expect(await runTrusting(['retry', received, '--trust'])).toMatchObject({ code: 3 });
    expect(existsSync(TRACE)).toBe(true);
  });

  test('are scored again without consent, since no model is asked', async () => {
    const copy = inFolder('rescored');
    cpSync(EVALUATED, copy, { recursive: true });
    rmSync(TRACE, { force: true });
    expect(await runLoaded(['eval', `--results-dir=${copy}`, '--rescore'])).toMatchObject({ code: 3 });
    expect(existsSync(TRACE)).toBe(false);
  });
});

/** Expects that a command runs no code of the module, calls no server and changes no file. */
async function expectUntouched(run: string, command: () => Promise<void>): Promise<void> {
  rmSync(TRACE, { force: true });
  const before = { files: readFilesBelow(run), received: standIn.received.length };
  await command();
  expect({ files: readFilesBelow(run), received: standIn.received.length }).toEqual(before);
  expect(existsSync(TRACE)).toBe(false);
}
