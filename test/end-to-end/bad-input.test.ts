import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { findOwnPort } from '../ports';
import { COMMAND, runCupid, startCupid, type Ended } from './command';
import { NOBODY } from '../stand-in/nobody';
import { createTemporaryFolder } from '../temporary-folder';
import { untilJournalHas } from './journal';
import { runLoaded } from './loaded-command';

/** Everything these commands could write to is in here: it must be the same before and after. */
const scene = createTemporaryFolder();
const inScene = (name: string) => join(scene, name);
const output = inScene('output');
const SIMULATED = ['--model', 'simulated:default'];

describe('what the command line says wrongly is reported with what was expected, and nothing is written (exit 2)', () => {
  test.each<[string, string[], string[]]>([
    [
      'an unknown provider',
      ['--model', 'opnai:gpt-4o'],
      [
        '"opnai:gpt-4o" names no known provider',
        'openai, bedrock, together',
        'for example openai:gpt-6-luna',
      ],
    ],
    [
      'a SPEC without provider',
      ['--model', 'gpt-4o'],
      ['"gpt-4o" names no known provider', 'provider:model'],
    ],
    ['a SPEC without model', ['--model', 'openai:'], ['"openai:" names no model', 'openai:NAME']],
    [
      'a server without its address',
      ['--model', 'openai-compatible:llama'],
      ['has no URL', 'openai-compatible:llama@http://localhost:8000/v1'],
    ],
    [
      'an address for a provider that has its own',
      ['--model', 'openai:gpt-4o@http://localhost:8000/v1'],
      ['a URL, which only openai-compatible takes'],
    ],
    [
      'options for a provider that takes none',
      ['--model', 'openai:gpt-4o?temperature=0'],
      ['"openai:gpt-4o?…" has options after a ?, which only simulated takes', '--settings'],
    ],
    [
      'an option that the simulated model has not',
      ['--model', 'simulated:default?latncy=1s'],
      [
        '--model',
        'there is no option latncy',
        'latency: time that an answer takes, for example 200ms or 1.5s',
      ],
    ],
    [
      'an option of the simulated model out of its range',
      [...SIMULATED, '--user-model', 'simulated:default?malformed=2'],
      ['--user-model', 'malformed=2 must be a fraction from 0 to 1'],
    ],
    [
      'too few sessions for the eight that an instance needs',
      [...SIMULATED, '--n-sessions', '8'],
      ["'--n-sessions <n>' argument '8' is invalid", 'Expected a whole number of at least 9'],
    ],
    [
      'too few factors for a contrastive pair and another',
      [...SIMULATED, '--n-factors', '2'],
      ["'--n-factors <n>' argument '2' is invalid", 'Expected a whole number of at least 3'],
    ],
    [
      'no calls in flight',
      [...SIMULATED, '--concurrency', '0'],
      ["'--concurrency <n>' argument '0' is invalid", 'at least 1 and at most 10000'],
    ],
    [
      'no personas',
      [...SIMULATED, '--n-personas', '0'],
      ["'--n-personas <n>' argument '0' is invalid", 'Expected a whole number of at least 1'],
    ],
    [
      'text where a number belongs',
      [...SIMULATED, '--n-personas', 'four'],
      ["'--n-personas <n>' argument 'four' is invalid", 'Expected a whole number'],
    ],
    [
      'a number that is not whole',
      [...SIMULATED, '--max-turns', '2.5'],
      ["'--max-turns <n>' argument '2.5' is invalid", 'Expected a whole number'],
    ],
    [
      'a seed that is too large',
      [...SIMULATED, '--seed', '2147483648'],
      ["'--seed <n>' argument '2147483648' is invalid", 'at most 2147483647'],
    ],
    ['no model', [], ["required option '--model <spec>' not specified"]],
    ['an unknown option', [...SIMULATED, '--n_personas', '4'], ["unknown option '--n_personas'"]],
  ])('%s', (_, args, says) => refused(args, 2, says));
});

describe('a file that the command line names is checked before anything is written (exit 2)', () => {
  test('seeds that are not there', () =>
    refused([...SIMULATED, '--seeds', inScene('nowhere.jsonl')], 2, [
      `${inScene('nowhere.jsonl')} cannot be read`,
      'no such file',
      'Check the path',
    ]));

  test('a folder in place of seeds', () =>
    refused([...SIMULATED, '--seeds', scene], 2, [
      `${scene} is a directory`,
      'Expected a regular file',
      'Name another',
    ]));

  test('seeds under another column', () =>
    refused(withSeeds('column.jsonl', '{"persona":"A baker from Bern."}\n'), 2, [
      'column.jsonl, row 1, field input persona: expected a text, found nothing',
      'rename it to "input persona"',
    ]));

  test('seeds with a broken row', () =>
    refused(withSeeds('cut.jsonl', '{"input persona":"A baker."}\n\n{"input persona":"A nur\n'), 2, [
      'cut.jsonl, row 3: not JSON',
      'download it again',
    ]));

  test('seeds that are not UTF-8', () =>
    refused(withSeeds('latin.txt', Buffer.from('A baker.\nA nurse from Z\u00fcrich.\n', 'latin1')), 2, [
      'latin.txt, row 2: not UTF-8',
      'save it as UTF-8',
    ]));

  test('seeds without a sentence', () =>
    refused(withSeeds('blank.txt', '\n\n'), 2, [
      'blank.txt contains no seed sentence',
      'Write one sentence per line',
    ]));

  test('fewer seeds than personas', () =>
    refused(withSeeds('two.txt', 'A baker from Bern.\nA nurse who sails.\nSomebody else.\n'), 2, [
      'Each persona needs a seed sentence of its own',
      '3 different sentences, enough for 2 personas of',
      'Ask for at most 2 personas, or give more seeds',
    ]));

  test('a prompt pack that is not there', () =>
    refused([...SIMULATED, '--prompts', inScene('no-pack')], 2, [
      `There is no folder ${inScene('no-pack')}. Name the folder that contains "synthesis"`,
    ]));

  test('a prompt pack with faults: all of them at once', async () => {
    const pack = inScene('pack');
    cpSync(join(__dirname, '..', '..', 'data', 'prompts', 'pack'), pack, { recursive: true });
    writeFileSync(
      join(pack, 'synthesis', 'assistant_simulator.yaml'),
      'system_prompt: "Answer {politely}."\n',
    );
    writeFileSync(
      join(pack, 'synthesis', 'preference_decomposer.yaml'),
      'system_prompt: Decompose.\nuser_prompt: All of them.\n',
    );
    writeFileSync(join(pack, 'synthesis', 'user_simulator.yaml'), 'system: Be a user.\n');
    writeFileSync(join(pack, 'synthesis', 'sessions_generator.yaml'), 'system_prompt: [\n');
    const lacking = inScene('lacking-pack');
    cpSync(join(pack, 'synthesis', 'sessions_generator.yaml'), join(lacking, 'synthesis', 'any.yaml'));
    await refused([...SIMULATED, '--prompts', pack], 2, [
      `The prompt pack "${pack}" cannot be used`,
      'assistant_simulator.yaml: system_prompt uses {politely}, which is not among this prompt',
      'write "{{politely}}" for literal braces',
      'preference_decomposer.yaml: the placeholder {preferences} is missing. Put it into',
      'user_simulator.yaml: system_prompt is missing or is not a text',
      'sessions_generator.yaml: not valid YAML',
    ]);
    await refused([...SIMULATED, '--prompts', lacking], 2, [
      'user_simulator.yaml: no such file. A pack needs it, with the key system_prompt',
    ]);
  });

  test.each<[string, string, string[]]>([
    ['an unknown key', 'stepz: {}\n', ['unknown key "stepz"']],
    ['what belongs on the command line', 'nPersonas: 7\n', ['unknown key "nPersonas"']],
    ['an unknown step', 'steps: { usr: { asks: 2 } }\n', ['field steps: unknown key "usr"']],
    [
      'an unknown parameter',
      'steps: { user: { temprature: 1 } }\n',
      ['field steps.user: unknown key "temprature"'],
    ],
    [
      'a value out of range',
      'steps: { user: { asks: 0 } }\n',
      ['field steps.user.asks: expected a number more than 0, found 0'],
    ],
    [
      'a value of another kind',
      'steps: { user: { temperature: hot } }\n',
      ['field steps.user.temperature: expected a number or "default", found "hot"'],
    ],
    ['nothing', '', ['expected an object, found nothing']],
    ['nothing under steps', 'steps:\n', ['field steps: expected an object, found nothing']],
  ])('settings with %s', (_, content, says) => {
    writeFileSync(inScene('settings.yaml'), content);
    return refused([...SIMULATED, '--settings', inScene('settings.yaml')], 2, [
      inScene('settings.yaml'),
      ...says,
      'describe, factors, journey, checklist, assistant, user',
      'user: { temperature: 0.3, maxTokens: 8192, asks: 5, samples: 2 }',
    ]);
  });

  test('settings that are not there, and settings that are not YAML', async () => {
    await refused([...SIMULATED, '--settings', inScene('no.yaml')], 2, [
      'no.yaml cannot be read',
      'no such file',
    ]);
    writeFileSync(inScene('broken.yaml'), 'steps: [\n');
    await refused([...SIMULATED, '--settings', inScene('broken.yaml')], 2, [
      'broken.yaml is neither YAML nor JSON',
      'line 2',
    ]);
  });
});

describe('what is missing around the command is reported with how to fix it, and nothing is written (exit 1)', () => {
  test.each<[string, string]>([
    ['openai:gpt-4o', 'OPENAI_API_KEY'],
    ['anthropic:claude', 'ANTHROPIC_API_KEY'],
    ['together:llama', 'TOGETHER_API_KEY'],
    ['gemini:flash', 'GOOGLE_API_KEY or GEMINI_API_KEY'],
    [
      'bedrock:claude',
      'AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, AWS_PROFILE or AWS_BEARER_TOKEN_BEDROCK',
    ],
  ])('the key of %s', (spec, variable) =>
    refused(['--model', spec], 1, [`${spec}: No `, `Set `, variable], { HOME: scene }),
  );

  test('the keys of every model that lacks one, at once', () =>
    refused([...SIMULATED, '--user-model', 'openai:gpt-4o', '--assistant-model', 'together:llama'], 1, [
      'openai:gpt-4o: No key for openai. Set OPENAI_API_KEY',
      'together:llama: No key for together',
    ]));

  test('a Temporal server: what was tried, and each way to have one', async () => {
    // What the SDK downloads goes through this proxy, where nobody listens.
    const proxy = `http://${NOBODY}`;
    mkdirSync(inScene('empty-path'));
    mkdirSync(inScene('old'));
    writeFileSync(
      inScene('old/temporal'),
      '#!/bin/sh\necho "temporal version 1.0.0 (Server 1.24.0, UI 2.0)"\n',
    );
    chmodSync(inScene('old/temporal'), 0o755);
    const environment = (path: string) => ({
      PATH: inScene(path),
      XDG_CACHE_HOME: inScene('cache'),
      ...Object.fromEntries(PROXIES.map((name) => [name, proxy])),
      NO_PROXY: '',
      no_proxy: '',
    });
    const tried = [
      'No Temporal server could be found, downloaded or built',
      '- The download failed: ',
      '- The build failed: Go is not installed.',
      'Install the Temporal CLI (server 1.29.0 or newer)',
      'install Go 1.25.0 or newer',
      'set TEMPORAL_ADDRESS',
    ];
    const missing = await synth(SIMULATED, environment('empty-path'));
    expectRefused(missing, 1, tried);
    const old = await synth(SIMULATED, environment('old'));
    expectRefused(old, 1, [
      ...tried,
      `- ${inScene('old/temporal')} is skipped: it contains Temporal server 1.24.0, but 1.29.0 or newer is needed.`,
    ]);
    expect(existsSync(output)).toBe(false);
    // The cache is where a server would be put: it holds no part of one.
    expect(
      [...contents(inScene('cache')).keys()].filter((name) => !/cupid|temporal-[\d.]+$/.test(name)),
    ).toEqual([]);
  });

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
    await new Promise<void>((resolve) => listener.listen(0, '127.0.0.1', resolve));
    const address = listener.address();
    if (address === null || typeof address === 'string') throw new Error('Nobody listens.');
    const taken = String(address.port);
    const says = [
      `Port ${taken} is in use by another program`,
      'Choose another port with --port or --ui-port',
    ];
    const free = String(await findOwnPort());
    const before = contents(scene);
    const environment = { TMPDIR: scene };
    const ports = [
      ['--port', taken],
      ['--port', free, '--ui-port', taken],
    ];
    for (const port of ports) expectRefused(await runCupid(['server', ...port], environment), 1, says);
    expect(contents(scene)).toEqual(before);
    await new Promise((resolve) => listener.close(resolve));
  });
});

describe('an output folder that cannot be worked in is reported, and left as it is (exit 1)', () => {
  test('a file, and a place below a file', async () => {
    writeFileSync(inScene('file'), 'Somebody wrote this.\n');
    await refusedIn(inScene('file'), SIMULATED, 1, [
      'file is a file, but a run needs a folder',
      'Name another',
    ]);
    for (const below of ['file/below', 'file/far/below']) {
      await refusedIn(inScene(below), SIMULATED, 1, [
        `${inScene(below)} cannot be created: ${inScene('file')} is a file`,
        'Name another --output-dir',
      ]);
    }
  });

  test('a read-only folder, and a place below one', () => {
    const folder = inScene('read-only');
    mkdirSync(folder);
    chmodSync(folder, 0o555);
    // Root may write everywhere: then somebody who may not gives the command.
    chmodSync(scene, 0o755);
    const nobody = process.getuid?.() === 0 ? { uid: 65_534, gid: 65_534 } : {};
    for (const place of [folder, join(folder, 'below')]) {
      const before = contents(scene);
      const ended = spawnSync(process.execPath, [COMMAND, 'synth', '--output-dir', place, ...SIMULATED], {
        encoding: 'utf8',
        ...nobody,
      });
      expectRefused({ ...ended, code: ended.status }, 1, [
        `${folder} cannot be written`,
        'Name another --output-dir',
      ]);
      expect(contents(scene)).toEqual(before);
    }
  });

  test('one that not even root may write', () =>
    // Other systems have no such folder; there the test above has to do.
    process.platform === 'linux'
      ? refusedIn('/sys/cupid-run', SIMULATED, 1, ['/sys', 'cannot be written', 'Name another --output-dir'])
      : Promise.resolve());

  test("somebody else's run.json", async () => {
    mkdirSync(inScene('foreign'));
    for (const content of ['{"format":1', '{"scripts":{"start":"run"}}', '']) {
      writeFileSync(inScene('foreign/run.json'), content);
      await refusedIn(inScene('foreign'), SIMULATED, 1, [
        `${inScene('foreign/run.json')} is not the run.json of a run of this program`,
        'Name another --output-dir',
      ]);
    }
  });
});

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
    const before = contents(run);
    expect(await runLoaded(['synth', '--output-dir', run, ...same, '--prompts', pack])).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('is already finished. Nothing was changed.'),
    });
    expect(contents(run)).toEqual(before);
    const file = join(pack, 'synthesis', 'assistant_simulator.yaml');
    writeFileSync(file, 'system_prompt: Answer in one word.\n');
    await refusedIn(run, [...same, '--prompts', pack], 2, [
      `- prompts: built-in before, ${pack} now, with other texts`,
    ]);
  });

  test('is not made smaller', async () => {
    const two = inScene('two-personas');
    cpSync(run, two, { recursive: true });
    for (const name of ['run.json', '.cupid/inputs/run.json']) {
      const file = join(two, name);
      writeFileSync(file, readFileSync(file, 'utf8').replace(/"nPersonas": ?1/, '"nPersonas": 2'));
    }
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
    const journal = contents(join(broken, '.cupid', 'packs'));
    // As the message says.
    rmSync(join(broken, 'run.json'));
    // In a process of its own, whose log ends with it: nothing in the scene may change by itself.
    const mended = await runCupid(['synth', '--output-dir', broken, ...same]);
    expect(mended).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('1 persona, 3 instances, no failures.'),
    });
    expect(readFileSync(join(broken, 'run.json'))).toEqual(readFileSync(join(run, 'run.json')));
    expect(contents(join(broken, '.cupid', 'packs'))).toEqual(journal);
    for (const set of ['CUPID-Unverified', 'CUPID-Raw']) {
      expect(contents(join(broken, set))).toEqual(contents(join(run, set)));
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
    for (const command of [['synth', ...slow], ['server']]) {
      const [name = '', ...options] = command;
      expectRefused(await runLoaded([name, '--output-dir', busy, ...options]), 1, [
        `${busy} is in use by process ${first.pid} on `,
        'Wait for it to finish',
      ]);
    }
    expect(readFileSync(join(busy, '.cupid', 'lock'))).toEqual(lock);
    expect(readFileSync(runFile)).toEqual(held);
    expect(first.child.exitCode).toBeNull();
    first.child.kill('SIGINT');
    expect(await first.ended).toMatchObject({ code: 130 });
  });
});

/** The options that name a file of seeds with this content. */
function withSeeds(name: string, content: string | Buffer): string[] {
  writeFileSync(inScene(name), content);
  return [...SIMULATED, '--seeds', inScene(name)];
}

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
  const before = contents(scene);
  expectRefused(await runLoaded(['synth', '--output-dir', folder, ...args], environment), code, says);
  expect(contents(scene)).toEqual(before);
}

async function synth(args: readonly string[], environment: Record<string, string>): Promise<Ended> {
  return runCupid(['synth', '--output-dir', output, ...args], environment);
}

function expectRefused(ended: Omit<Ended, 'signal'>, code: number, says: readonly string[]): void {
  expect(ended).toMatchObject({ code, stdout: '' });
  for (const part of says) expect(ended.stderr).toContain(part);
  // A message, not a stack trace.
  expect(ended.stderr).not.toMatch(/^ {4}at /m);
}

/** Every folder and file below a folder, the files with a hash of their bytes. */
function contents(folder: string): Map<string, string> {
  const found = new Map<string, string>();
  for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
    const file = join(entry.parentPath, entry.name);
    found.set(file.slice(folder.length), entry.isFile() ? hashOf(file) : 'folder');
  }
  return found;
}

function hashOf(file: string): string {
  return createHash('sha256').update(readFileSync(file)).digest('hex');
}

const PROXIES = ['HTTPS_PROXY', 'https_proxy', 'HTTP_PROXY', 'http_proxy', 'ALL_PROXY', 'all_proxy'];
