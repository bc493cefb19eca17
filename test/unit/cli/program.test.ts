import { CommanderError } from 'commander';
import { getExitCode } from '../../../cli/exit';
import { buildProgram } from '../../../cli/program';

const commands = buildProgram(() => undefined).commands;

/** Placeholders that stand for a path, alone or among other things. */
const PATH = /[<[](dir|dirs\.\.\.|file|data|run|recording)[>\]]/;

const pathOptions = commands.flatMap((command) =>
  command.options.flatMap(({ long, flags }) =>
    PATH.test(flags) ? [{ command: command.name(), option: long ?? '' }] : [],
  ),
);

/** All arguments but SPECs and stores are paths. */
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
    const { code, stderr } = await parse(command, option, empty);
    expect(code).toBe(2);
    expect(stderr).toMatch(new RegExp(`'${option} [<[]`));
    expect(stderr).toContain('The path is empty. Name a path, or . for the current directory.');
  });

  test.each(pathArguments)('$command <$argument>', async ({ command, argument, words }) => {
    const { code, stderr } = await parse(command, ...words(empty));
    expect(code).toBe(2);
    expect(stderr).toContain(`for argument '${argument}'`);
    expect(stderr).toContain('The path is empty.');
  });
});

test.each(['s3://ab/run', 's3://Bucket/run', '/bucket/run'])('%s is no place of a store', async (place) => {
  const { code, stderr } = await parse('pull', place, 'out');
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
  const { code, stderr } = await parse(...line);
  expect(code).toBe(2);
  expect(stderr).toContain(`unknown option ${unknown}`);
  expect(stderr).toContain(`Did you mean ${meant}?`);
});

test.each<[string[], string]>([
  [['synth', '--model', 'simulated:default'], '--output-dir <dir>'],
  [['synth', '--output-dir', 'x'], '--model <spec>'],
  [['eval'], '--results-dir <dir>'],
  [['export', 'data'], '--output-dir <dir>'],
  [['import', 'data'], '--output-dir <dir>'],
  [['publish', 'data'], '--repo <owner/name>'],
])('a required option that is not given is named: %j', async (line, option) => {
  const { code, stderr } = await parse(...line);
  expect(code).toBe(2);
  expect(stderr).toContain(`required option '${option}' not specified`);
});

test.each(commands.map((command) => command.name()))('the help of %s has an example', async (name) => {
  const { code, stdout } = await parse(name, '--help');
  expect(code).toBe(0);
  expect(stdout).toMatch(new RegExp(`Examples?:\\n  \\$ .*cupid ${name}`));
});

test.each(['fast', 'fast 600rpm'])(
  'a wrong --rate with a URL (… %s) does not repeat the URL',
  async (rate) => {
    const value = `openai-compatible:llama@https://me:hunter2@host/v1 ${rate}`;
    const error: unknown = await parse('set', 'run', '--rate', value).catch((reason: unknown) => reason);
    expect(getExitCode(error)).toBe(2);
    const message = error instanceof Error ? error.message : '';
    expect(message).toMatch(/Write limits as requests per minute/);
    expect(message).not.toContain('hunter2');
  },
);

async function parse(...line: string[]): Promise<{ code: number; stdout: string; stderr: string }> {
  const written = { stdout: '', stderr: '' };
  const program = buildProgram(() => undefined);
  for (const command of [program, ...program.commands]) {
    command.configureOutput({
      writeOut: (text) => void (written.stdout += text),
      writeErr: (text) => void (written.stderr += text),
    });
  }
  try {
    await program.parseAsync(['node', 'cupid', ...line]);
  } catch (error) {
    if (error instanceof CommanderError) return { code: getExitCode(error), ...written };
    throw error;
  }
  throw new Error('The command ran.');
}
