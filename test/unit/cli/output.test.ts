import { property, assert, jsonValue, string } from 'fast-check';
import { drawLines, eraseRows, printJson, setRunFolder, writeText } from '../../../cli/output';
import { buildProgram } from '../../../cli/program';
import { giveCommand } from './give-command';
import { escapeControls } from '../../../schemas/text/control-characters';

test.each([
  ['an OSC 52 that sets the clipboard', '\u001B]52;c;aGk=\u0007', String.raw`\u001b]52;c;aGk=\u0007`],
  ['a clear screen', '\u001B[2J\u001B[H', String.raw`\u001b[2J\u001b[H`],
  ['the same as one C1 character', '\u009B2J', String.raw`\u009b2J`],
  ['a return to the line start', 'sound\rNOT', String.raw`sound\u000dNOT`],
  ['backspace and DEL', 'a\b\u007F', String.raw`a\u0008\u007f`],
  ['a reversed line', 'a\u202Eb\u2066c', String.raw`a\u202eb\u2066c`],
  ['half of a surrogate pair', 'a\uD83D', String.raw`a\ud83d`],
])('%s is written as an escape', (_, text, escaped) => {
  expect(escapeControls(text)).toBe(escaped);
});

test('line breaks, tabs and every script stay', () => {
  const text = 'ä\tשלום 你好\n👩‍🚀 é';
  expect(escapeControls(text)).toBe(text);
});

test('JSON stays JSON of the same values', () => {
  assert(
    property(jsonValue({ stringUnit: 'binary' }), string({ unit: 'binary' }), (value, key) => {
      const data = { value, [key]: '\u009B\\\u202E\u007F' };
      const printed = escapeControls(JSON.stringify(data, null, 2));
      expect(JSON.parse(printed)).toEqual(JSON.parse(JSON.stringify(data)));
      expect(escapeControls(printed)).toBe(printed);
    }),
  );
});

test('commands in messages are named as the user called this one', async () => {
  const commands = buildProgram(() => undefined).commands.map((command) => command.name());
  const write = jest.fn();
  process.env['npm_command'] = 'exec';
  try {
    await jest.isolateModulesAsync(async () => {
      const { writeText: writeUnderNpx } = await import('../../../cli/output.js');
      writeUnderNpx(
        { write, isTTY: false, columns: 80 },
        'See cupid status out, or npx cupid retry out; cupid is fine.',
      );
      for (const name of commands) writeUnderNpx({ write, isTTY: false, columns: 80 }, `cupid ${name} out`);
    });
  } finally {
    delete process.env['npm_command'];
  }
  expect(write).toHaveBeenCalledWith('See npx cupid status out, or npx cupid retry out; cupid is fine.\n');
  expect(commands.length).toBeGreaterThan(20);
  for (const name of commands) expect(write).toHaveBeenCalledWith(`npx cupid ${name} out\n`);
});

describe('in a message that is stored with a run', () => {
  const STORED = 'Run cupid retry RUN --damaged, or cupid set RUN --budget AMOUNT.';
  const written: string[] = [];
  const output = {
    isTTY: false,
    columns: 200,
    write: (text: string | Uint8Array) => written.push(String(text)) > 0,
  };
  afterEach(() => {
    setRunFolder(undefined);
    written.length = 0;
    jest.restoreAllMocks();
  });

  test.each([
    ['out', STORED, 'Run cupid retry out --damaged, or cupid set out --budget AMOUNT.'],
    ['my $& run', STORED, "Run cupid retry 'my $& run' --damaged, or cupid set 'my $& run' --budget AMOUNT."],
    ['out', 'cupid\n  retry RUN\n  --damaged', 'cupid\n  retry out\n  --damaged'],
    ['out', 'We RUN cupid. Then cupid retry RUN, or', 'We RUN cupid. Then cupid retry RUN, or'],
    [undefined, STORED, STORED],
  ])('the folder %j takes the place of RUN in commands: %j', (folder, stored, shown) => {
    setRunFolder(folder);
    writeText(output, stored);
    expect(written.join('')).toBe(`${shown}\n`);
  });

  test('it does so in drawn lines', () => {
    setRunFolder('out');
    drawLines(output, [STORED]);
    expect(written.join('')).toContain('cupid retry out --damaged');
  });

  test('it does so in JSON, which stays JSON', () => {
    setRunFolder('a"b\\c');
    jest.spyOn(process.stdout, 'write').mockImplementation(output.write);
    printJson({ cause: STORED });
    expect(JSON.parse(written.join(''))).toEqual({
      cause: STORED.replaceAll('RUN', () => `'a"b\\c'`),
    });
  });

  test.each([
    [['failures', 'none/out'], 'none/out'],
    [['eval', '--results-dir', 'none/results', '--rescore'], 'none/results'],
    [['replay', '1/s2', '--output-dir', 'none/out'], 'none/out'],
    [['replay', 'none/bundle.json'], 'RUN'],
    [['report', 'none/one', 'none/other'], 'RUN'],
  ])('of the command %j, it is %j', async (line, shown) => {
    await giveCommand(...line);
    writeText(output, 'cupid retry RUN --damaged');
    expect(written.join('')).toBe(`cupid retry ${shown} --damaged\n`);
  });
});

describe('on a terminal', () => {
  let written = '';
  const terminal = {
    isTTY: true,
    columns: 40,
    write: (text: string | Uint8Array) => (written += String(text)) !== '',
  };
  beforeEach(() => (written = ''));

  test('drawn lines are as many rows of the terminal as they are counted as, whatever they hold', () => {
    const word = '\u001B'.repeat(10);
    expect(drawLines(terminal, [`It has ${word}`, 'two\nrows'])).toBe(4);
    expect(written.split('\n').map(({ length }) => length)).toEqual([6, 39, 29, 8, 0]);
    expect(written).not.toContain('\u001B');
  });

  test('drawn lines are about equally long, so that no word stands alone', () => {
    drawLines(terminal, ['about 2 min left; 1 of 4 personas done, 0 failed, 3 open']);
    expect(written).toBe('about 2 min left; 1 of 4 personas\n    done, 0 failed, 3 open\n');
  });

  test.each([
    ['cupid status out', 'a\nb\n… and 2 more lines (cupid status out)\n'],
    [`cupid status ${'x'.repeat(40)}`, 'a\nb\n… and 2 more lines\n'],
    [undefined, 'a\nb\n… and 2 more lines\n'],
  ])('lines that are not drawn are counted in the last row, with %j if it fits', (command, drawn) => {
    const low = { ...terminal, rows: 4 };
    expect(drawLines(low, ['a', 'b', 'c', 'd'], command)).toBe(3);
    expect(written).toBe(drawn);
    expect(drawLines(low, ['a', 'b', 'c'], command)).toBe(3);
    expect(written).toBe(`${drawn}a\nb\nc\n`);
  });

  test.each<[string, string, string]>([
    [
      'prose at spaces',
      'The budget is used up, so the run is paused. Everything is kept.',
      'The budget is used up, so the run is\npaused. Everything is kept.',
    ],
    [
      'a command after it in one piece',
      'Raise the budget: cupid set out --budget AMOUNT. The run continues by itself.',
      'Raise the budget:\ncupid set out --budget AMOUNT. The run\ncontinues by itself.',
    ],
    [
      'a command of another program in one piece',
      'On another machine, first run there: ssh -N -L 24333:127.0.0.1:24333 vm',
      'On another machine, first run there:\nssh -N -L 24333:127.0.0.1:24333 vm',
    ],
    [
      'a command before what follows it',
      'Use the commit before: git checkout 57ae28bb && npm ci, then repeat its command.',
      'Use the commit before:\ngit checkout 57ae28bb && npm ci, then\nrepeat its command.',
    ],
    [
      'a longer command not at all',
      "Continue with the same command: cupid synth --output-dir 'my run' --seed 1",
      "Continue with the same command:\ncupid synth --output-dir 'my run' --seed 1",
    ],
    [
      'an indented line below its indent',
      `  ${'word '.repeat(10)}`,
      `  ${'word '.repeat(6)}word\n  word word word`,
    ],
    ...[
      'step          calls   tokens in  tokens out',
      `  $ cupid ${'word '.repeat(8)}x`,
      `      --model ${'word '.repeat(8)}x`,
    ].map((kept): [string, string, string] => ['a row or an example not at all', kept, kept]),
  ])('wraps %s', (_, text, expected) => {
    writeText(terminal, text);
    expect(written).toBe(`${expected}\n`);
    written = '';
    writeText({ ...terminal, isTTY: false }, text);
    expect(written).toBe(`${text}\n`);
  });

  test('JSON is not wrapped', () => {
    const { isTTY } = process.stdout;
    process.stdout.isTTY = true;
    jest.spyOn(process.stdout, 'write').mockImplementation(terminal.write);
    const texts = ['word '.repeat(40)];
    printJson(texts);
    jest.restoreAllMocks();
    process.stdout.isTTY = isTTY;
    expect(JSON.parse(written)).toEqual(texts);
  });

  test('only what was drawn is erased', () => {
    eraseRows(terminal, 0);
    expect(written).toBe('');
    eraseRows(terminal, 2);
    expect(written).toBe('\r\u001B[2A\u001B[J');
    writeText(terminal, 'kept');
    expect(written).toBe('\r\u001B[2A\u001B[Jkept\n');
  });
});
