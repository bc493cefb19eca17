import { spawnSync } from 'node:child_process';
import { chmodSync, cpSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { editSealed } from '../edit-sealed';
import { findOwnPort, listen } from '../ports';
import { COMMAND, runCupid, startCupid } from './command';
import { NOBODY } from '../stand-in/nobody';
import { createTemporaryFolder } from '../temporary-folder';
import { untilJournalHas } from './journal';
import { runLoaded } from './loaded-command';
import { interrupt } from './processes';
import { expectRefusal, readFilesBelow } from './refusal';

/** Everything these commands could write to is in here: it must be the same before and after. */
const scene = createTemporaryFolder();
const inScene = (name: string) => join(scene, name);
const output = inScene('output');
const SIMULATED = ['--model', 'simulated:default'];

// The other messages about command lines and files: test/unit/cli/refused.test.ts.
test('a wrong option and a wrong file are reported with what was expected, and nothing is written (exit 2)', async () => {
  await refused(['--model', 'opnai:gpt-4o'], 2, [
    '"opnai:gpt-4o" names no known provider',
    'for example openai:gpt-6-luna',
  ]);
  writeFileSync(inScene('column.jsonl'), '{"persona":"A baker from Bern."}\n');
  await refused([...SIMULATED, '--seeds', inScene('column.jsonl')], 2, [
    'column.jsonl, row 1, field input persona: expected a text, found nothing',
  ]);
});

describe('what is missing around the command is reported with how to fix it, and nothing is written (exit 1)', () => {
  test('the keys of every model that lacks one, at once', () =>
    refused([...SIMULATED, '--user-model', 'openai:gpt-4o', '--assistant-model', 'together:llama'], 1, [
      'openai:gpt-4o: No key for openai. Set OPENAI_API_KEY',
      'together:llama: No key for together',
    ]));

  test('a cluster where the environment says there is one', async () => {
    await refused(
      SIMULATED,
      1,
      [`The Temporal cluster at ${NOBODY} does not answer`, 'Check TEMPORAL_ADDRESS', 'unset'],
      { TEMPORAL_ADDRESS: NOBODY },
    );
  });

  test('a profile of Temporal that no file has', () =>
    refused([...SIMULATED, '--profile', 'nowhere'], 1, ["'nowhere' not found", 'Check --profile'], {
      TEMPORAL_CONFIG_FILE: inScene('temporal.toml'),
      HOME: scene,
    }));

  test('the port of `cupid server`, and that of its UI', async () => {
    const listener = createServer();
    const taken = String(await listen(listener));
    const says = [
      `Port ${taken} is in use by another program`,
      'Choose another port with --port or --ui-port',
    ];
    const free = String(await findOwnPort());
    const before = readFilesBelow(scene);
    const environment = { TMPDIR: scene };
    const ports = [
      ['--port', taken],
      ['--port', free, '--ui-port', taken],
    ];
    for (const port of ports) expectRefusal(await runCupid(['server', ...port], environment), 1, says);
    expect(readFilesBelow(scene)).toEqual(before);
    await new Promise((resolve) => listener.close(resolve));
  });
});

test('a read-only output folder, and a place below one, are reported, and left as they are (exit 1)', () => {
  const folder = inScene('read-only');
  mkdirSync(folder);
  chmodSync(folder, 0o555);
  // Root may write everywhere: then somebody who may not gives the command.
  chmodSync(scene, 0o755);
  const nobody = process.getuid?.() === 0 ? { uid: 65_534, gid: 65_534 } : {};
  for (const place of [folder, join(folder, 'below')]) {
    const before = readFilesBelow(scene);
    const ended = spawnSync(process.execPath, [COMMAND, 'synth', '--output-dir', place, ...SIMULATED], {
      encoding: 'utf8',
      ...nobody,
    });
    expectRefusal({ ...ended, code: ended.status }, 1, [
      `${folder} cannot be written`,
      'Name another --output-dir',
    ]);
    expect(readFilesBelow(scene)).toEqual(before);
  }
});

// Root may write everywhere else, and other systems have no such folder.
(process.platform === 'linux' ? test : test.skip)('an output folder that not even root may write', () =>
  refusedIn('/sys/cupid-run', SIMULATED, 1, ['/sys', 'cannot be written', 'Name another --output-dir']),
);

describe('a folder that holds a run', () => {
  const run = inScene('run');
  const same = [...SIMULATED, '--n-personas', '1', '--n-sessions', '9', '--max-turns', '2'];

  beforeAll(async () => {
    const ended = await runLoaded(['synth', '--output-dir', run, ...same]);
    if (ended.code !== 0) throw new Error(`The run that these tests look at failed: ${ended.stderr}`);
  });

  test('is refused to other settings, with every difference shown, and left as it is (exit 2)', async () => {
    writeFileSync(inScene('warm.yaml'), 'steps: { user: { temperature: 1.5 } }\n');
    writeFileSync(inScene('three.txt'), 'A baker from Bern.\nA nurse who sails.\nA pilot.\n');
    const other = [
      ['--n-personas', '1'],
      ['--n-sessions', '10'],
      ['--max-turns', '3'],
      ['--seed', '7'],
      ['--model', 'simulated:default'],
      ['--user-model', 'simulated:default?latency=1ms'],
      ['--settings', inScene('warm.yaml')],
      ['--seeds', inScene('three.txt')],
      ['--require-satisfied'],
    ].flat();
    await refusedIn(run, other, 2, [
      `${run} contains a run with other settings:`,
      '- seed: 42 before, 7 now',
      '- nSessions: 9 before, 10 now',
      '- maxTurns: 2 before, 3 now',
      '- requireSatisfied: none before, all now',
      '- models.user: simulated:default before, simulated:default?latency=1ms now',
      '- steps.user.temperature: 0.3 before, 1.5 now',
      `- seeds: built-in before, ${inScene('three.txt')} now`,
      'Use the settings of that run to continue it, or name another --output-dir.',
    ]);
  });

  test('is refused to other prompts, but not to the same prompts from elsewhere', async () => {
    const pack = inScene('own-pack');
    cpSync(join(__dirname, '..', '..', 'data', 'prompts', 'pack'), pack, { recursive: true });
    const before = readFilesBelow(run);
    expect(await runLoaded(['synth', '--output-dir', run, ...same, '--prompts', pack])).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('is already finished. Nothing was changed.'),
    });
    expect(readFilesBelow(run)).toEqual(before);
    const file = join(pack, 'synthesis', 'assistant_simulator.yaml');
    writeFileSync(file, 'system_prompt: Answer in one word.\n');
    await refusedIn(run, [...same, '--prompts', pack], 2, [
      `- prompts: built-in before, ${pack} now, with other texts`,
    ]);
  });

  test('is not made smaller', async () => {
    const two = inScene('two-personas');
    cpSync(run, two, { recursive: true });
    writeFileSync(join(two, 'run.json'), grow(readFileSync(join(two, 'run.json'), 'utf8')));
    editSealed(join(two, '.cupid/inputs/run.json'), grow);
    await refusedIn(two, same, 2, [
      'nPersonas: 2 before, 1 now. It can only grow: use --n-personas 2 or more',
    ]);
  });

  test('reports a broken run.json, and without it is the same run, with the same data (exit 1, then 0)', async () => {
    const broken = inScene('broken-run');
    cpSync(run, broken, { recursive: true });
    writeFileSync(join(broken, 'run.json'), readFileSync(join(run, 'run.json'), 'utf8').slice(0, 100));
    await refusedIn(broken, same, 1, [
      `${join(broken, 'run.json')} is not the run.json of a run of this program`,
      'Delete it and repeat the same command',
    ]);
    const journal = readFilesBelow(join(broken, '.cupid', 'packs'));
    // As the message says.
    rmSync(join(broken, 'run.json'));
    // In a process of its own, whose log ends with it: nothing in the scene may change by itself.
    const repaired = await runCupid(['synth', '--output-dir', broken, ...same]);
    expect(repaired).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('1 persona, 3 instances, no failures.'),
    });
    expect(readFileSync(join(broken, 'run.json'))).toEqual(readFileSync(join(run, 'run.json')));
    expect(readFilesBelow(join(broken, '.cupid', 'packs'))).toEqual(journal);
    for (const set of ['CUPID-Unverified', 'CUPID-Raw']) {
      expect(readFilesBelow(join(broken, set))).toEqual(readFilesBelow(join(run, set)));
    }
  });

  test('says which of its own files is damaged or gone (exit 1)', async () => {
    const damaged = inScene('damaged-run');
    cpSync(run, damaged, { recursive: true });
    writeFileSync(join(damaged, '.cupid', 'inputs', 'templates.json'), '[{"id":1');
    await refusedIn(damaged, same, 1, [
      `The run in ${damaged} cannot be continued: .cupid/inputs/templates.json is damaged`,
      'Restore that file from a copy.\nTo start over, name another --output-dir.',
    ]);
  });

  test('is refused while a living command works in it, which continues undisturbed (exit 1)', async () => {
    const busy = inScene('busy');
    // It is far from its end still when the other commands are done, however long they take.
    const slow = ['--model', 'simulated:default?latency=4s', '--n-personas', '1'];
    const first = startCupid(['synth', '--output-dir', busy, ...slow]);
    const runFile = join(busy, 'run.json');
    await untilJournalHas(busy, 1, first);
    const lock = readFileSync(join(busy, '.cupid', 'lock'));
    const held = readFileSync(runFile);
    for (const command of [
      ['synth', '--output-dir', busy, ...slow],
      ['server', '--output-dir', busy],
      ['retry', busy],
    ]) {
      expectRefusal(await runLoaded(command), 1, [
        `${busy} is in use by process ${first.pid} on `,
        `Wait for it to finish (cupid status ${busy} --watch shows its progress), or stop it with Ctrl-C.`,
      ]);
    }
    expect(readFileSync(join(busy, '.cupid', 'lock'))).toEqual(lock);
    expect(readFileSync(runFile)).toEqual(held);
    expect(first.child.exitCode).toBeNull();
    await interrupt(first);
  });
});

/** Gives `synth` with these options, and expects this refusal and nothing else. */
async function refused(
  args: readonly string[],
  code: number,
  says: readonly string[],
  environment: Record<string, string> = {},
): Promise<void> {
  await refusedIn(output, args, code, says, environment);
  expect(existsSync(output)).toBe(false);
}

async function refusedIn(
  folder: string,
  args: readonly string[],
  code: number,
  says: readonly string[],
  environment: Record<string, string> = {},
): Promise<void> {
  const before = readFilesBelow(scene);
  expectRefusal(await runLoaded(['synth', '--output-dir', folder, ...args], environment), code, says);
  expect(readFilesBelow(scene)).toEqual(before);
}

/** Adds a persona to the settings in a text. */
function grow(text: string): string {
  return text.replace(/"nPersonas": ?1/, '"nPersonas": 2');
}
