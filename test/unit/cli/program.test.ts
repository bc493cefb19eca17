import { homedir } from 'node:os';
import { join } from 'node:path';
import { buildProgram } from '../../../cli/program';
import { giveCommand } from './give-command';

const commands = buildProgram(() => undefined).commands;

/** Placeholders that stand for a path, possibly among other things. */
const PATH = /[<[](dir|dirs\.\.\.|file|data|run|recording)[>\]]/;

const pathOptions = commands.flatMap((command) =>
  command.options.flatMap(({ long, flags }) =>
    PATH.test(flags) ? [{ command: command.name(), option: long ?? '' }] : [],
  ),
);

/** All arguments except SPECs and stores are paths. */
const pathArguments = commands.flatMap((command) =>
  command.registeredArguments
    .map((argument, at, { length }) => ({
      command: command.name(),
      argument: argument.name(),
      words: (empty: string) =>
        Array.from({ length }, (_, place) => (place === at ? empty : 's3://bucket/run')),
    }))
    .filter(({ argument }) => !/^(spec|store)/.test(argument)),
);

test('the command line has paths to check', () => {
  expect(pathOptions).toEqual(
    expect.arrayContaining([
      { command: 'synth', option: '--output-dir' },
      { command: 'eval', option: '--results-dir' },
      { command: 'eval', option: '--compare' },
      { command: 'set', option: '--models' },
    ]),
  );
  expect(pathArguments.length).toBeGreaterThanOrEqual(12);
});

describe.each(['', '  '])('an empty path (%j) is wrong usage', (empty) => {
  test.each(pathOptions)('$command $option', async ({ command, option }) => {
    const { code, stderr } = await giveCommand(command, option, empty);
    expect(code).toBe(2);
    expect(stderr).toContain(`cupid: ${option} "${empty}": `);
    expect(stderr).toContain('The path is empty. Name a path, or . for the current directory.');
  });

  test.each(pathArguments)('$command <$argument>', async ({ command, argument, words }) => {
    const { code, stderr } = await giveCommand(command, ...words(empty));
    expect(code).toBe(2);
    expect(stderr).toContain(`cupid: <${argument}> "${empty}": `);
    expect(stderr).toContain('The path is empty.');
  });
});

const pathParsers = commands.flatMap((command) => [
  ...command.options.filter(({ flags }) => PATH.test(flags)),
  ...command.registeredArguments.filter((argument) => !/^(spec|store)/.test(argument.name())),
]);

test.each([
  ['~', homedir()],
  ['~/my runs', join(homedir(), 'my runs')],
  ['./~/runs', './~/runs'],
  ['~runs', '~runs'],
  ['runs/~', 'runs/~'],
])(
  'every path may begin in the home directory, also after = where no shell expands it: %s',
  (typed, path) => {
    for (const { parseArg } of pathParsers) {
      expect([parseArg?.<unknown>(typed, undefined)].flat()).toEqual([path]);
    }
  },
);

test.each(['s3://ab/run', 's3://Bucket/run', '/bucket/run'])('%s is no place of a store', async (place) => {
  const { code, stderr } = await giveCommand('pull', place, 'out');
  expect(code).toBe(2);
  expect(stderr).toContain('Expected s3://BUCKET/PREFIX, where BUCKET is 3 to 63 lower-case letters');
});

test.each<[string[], string, string]>([
  [['synth', '--out-dir', 'x', '--model', 'simulated:default'], "'--out-dir'", '--output-dir'],
  [['synth', '--output-dir', 'x', '--modle', 'simulated:default'], "'--modle'", '--model'],
  [['eval', '--result-dir', 'x'], "'--result-dir'", '--results-dir'],
  [['export', 'data', '--output_dir', 'x'], "'--output_dir'", '--output-dir'],
  [['import', 'data', '--outputdir', 'x'], "'--outputdir'", '--output-dir'],
  [['publish', 'data', '--rep', 'me/mine'], "'--rep'", '--repo'],
])('a misspelled required option is reported as misspelled: %j', async (line, unknown, meant) => {
  const { code, stderr } = await giveCommand(...line);
  expect(code).toBe(2);
  expect(stderr).toContain(`unknown option ${unknown}`);
  expect(stderr).toContain(`Did you mean ${meant}?`);
});

test.each<[string[], string]>([
  [
    ['eval', '--task', 'choise'],
    '--task "choise": Expected one of inference, generation, both, choice. Did you mean choice?',
  ],
  [['eval', '--context', 'full,orcale'], 'Did you mean oracle?'],
  [['eval', '--split', 'tets'], 'Did you mean test?'],
  [['synth', '--require-satisfied', 'relevent'], 'Did you mean relevant?'],
  [['export', 'data', '--format', 'parket'], 'Did you mean parquet?'],
  [['review', 'data', '--accept', 'thrid'], 'Did you mean third?'],
  [['worker', '--only', 'synthesys'], 'Did you mean synthesis?'],
  [['synth', '--tier', 'flx'], 'Did you mean flex?'],
  [['synth', '--model', 'simulated:default?reads=lsat'], '(did you mean last?)'],
])('a misspelled value of a fixed list is reported as misspelled: %j', async (line, message) => {
  const { code, stderr } = await giveCommand(...line);
  expect(code).toBe(2);
  expect(stderr).toContain(message);
});

test.each<[string[], string]>([
  [['synth', '--model', 'simulated:default'], '--output-dir <dir>'],
  [['synth', '--output-dir', 'x'], '--model <spec>'],
  [['eval'], '--results-dir <dir>'],
  [['export', 'data'], '--output-dir <dir>'],
  [['import', 'data'], '--output-dir <dir>'],
  [['publish', 'data'], '--repo <owner/name>'],
])('a required option that is not given is named: %j', async (line, option) => {
  const { code, stderr } = await giveCommand(...line);
  expect(code).toBe(2);
  expect(stderr).toContain(`required option '${option}' not specified`);
});

test.each(commands.map((command) => command.name()))('the help of %s has an example', async (name) => {
  const { code, stdout } = await giveCommand(name, '--help');
  expect(code).toBe(0);
  expect(stdout).toMatch(new RegExp(`Examples?:\\n  \\$ .*cupid ${name}`));
});

test.each(['fast', 'fast 600rpm'])(
  'a wrong --rate with a URL (… %s) does not repeat the URL',
  async (rate) => {
    const value = `openai-compatible:llama@https://me:hunter2@host/v1 ${rate}`;
    const { code, stderr } = await giveCommand('set', 'run', '--rate', value);
    expect(code).toBe(2);
    expect(stderr).toMatch(/Write limits as requests per minute/);
    expect(stderr).not.toContain('hunter2');
  },
);

test('contexts are given in a list, beside each other, or each by itself, and the same one twice is one', () => {
  const evaluation = buildProgram(() => undefined).commands.find((command) => command.name() === 'eval');
  evaluation?.parseOptions(['--context', 'none,oracle', '--context', 'none', 'full']);
  expect(evaluation?.opts()['context']).toEqual(['none', 'oracle', 'full']);
});

test.each(['', ' , '])('retry --only %j names no id, so it is wrong usage', async (ids) => {
  const { code, stderr } = await giveCommand('retry', 'run', '--only', ids);
  expect(code).toBe(2);
  expect(stderr).toContain('Expected ids from cupid failures, such as 17 or 42/s3.');
});
