import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { createServer, type Socket } from 'node:net';
import { join } from 'node:path';
import { INSTANCE_COLUMNS } from '../../../data/tables/columns';
import { writeParquet } from '../../../data/tables/parquet';
import { validationReportSchema } from '../../../schemas/dataset/validation';
import { renderLines } from '../../unit/data/sets/instances';
import { startCupid } from '../command';
import { runLoaded } from '../loaded-command';
import { interrupt } from '../processes';
import { listen } from '../../ports';
import { createTemporaryFolder } from '../../temporary-folder';
import { buildLengthyInstances, buildSoundInstances } from '../../unit/publishing/sound-data';

const folder = createTemporaryFolder();

test('what is sound is reported in a few lines: exit code 0', async () => {
  const file = join(folder, 'sound.parquet');
  await writeParquet(file, INSTANCE_COLUMNS, buildSoundInstances(2));
  const { stdout, code } = await runLoaded(['validate', file]);
  expect(code).toBe(0);
  const [text, figures] = splitFigures(stdout);
  expect(text).toEqual([
    file,
    '  6 instances of 2 personas, no errors, no warnings',
    '',
    '',
    'Valid: no errors, no warnings.',
    `Look at it: cupid explore ${file}`,
    '',
  ]);
  expect(figures[0]).toMatch(/^Quality +Here +95 % +Counted$/);
  expect(figures).toContainEqual(
    expect.stringMatching(/^Requests with half of .* 0\.0 % .* 0 of 6 requests$/),
  );
  expect(figures).toContainEqual(
    expect.stringMatching(/^Dialogues that ended with the first answer +100\.0 %/),
  );
});

test('a length shortcut is a warning, and the table shows it beside chance: exit code 0', async () => {
  const file = join(folder, 'lengthy.parquet');
  await writeParquet(file, INSTANCE_COLUMNS, buildLengthyInstances(30));
  const { stdout, code } = await runLoaded(['validate', file]);
  expect(code).toBe(0);
  const [text, figures] = splitFigures(stdout);
  expect(text).toContain('  warning choice-shortcut (1):');
  expect(figures).toContainEqual(
    expect.stringMatching(/^Choices where the longest option is right +66\.7 % .* chance 25\.0 %$/),
  );
});

test('what is not is reported by rule, the worst rows of each, and how manymore, without figures: exit code 3', async () => {
  const file = join(folder, 'broken.jsonl');
  const rows = buildSoundInstances(3).map((row, index) => ({
    ...row,
    current_checklist: [''],
    ...(index === 4 && { instance_type: 'constant' }),
  }));
  await writeFile(file, renderLines(rows));
  const { code, stdout } = await runLoaded(['validate', file]);
  expect(code).toBe(3);
  const found = (line: number, key: string) =>
    `    ${file}, line ${line} (${key}), current_checklist[0]: expected a text, found an empty one.`;
  const text = stdout.replaceAll(/\n {6}/g, ' ').split('\n');
  expect(text).toEqual([
    file,
    '  9 instances of 3 personas, 10 errors, no warnings',
    '',
    '  error field-form (1):',
    `    ${file}, line 5 (2+baker/constant), instance_type: expected one of "consistent", "contrastive", "changing", found "constant".`,
    '',
    '  error empty-text (9):',
    found(5, '2+baker/constant'),
    found(1, '1+baker/consistent'),
    found(2, '1+baker/contrastive'),
    found(3, '1+baker/changing'),
    found(4, '2+baker/consistent'),
    '    and 4 more',
    '',
    'Not valid: 10 errors, no warnings.',
    '',
  ]);
});

test('--json prints the whole report', async () => {
  const file = join(folder, 'warned.parquet');
  await writeParquet(file, INSTANCE_COLUMNS, buildSoundInstances(2).slice(0, 5));
  const { code, stdout } = await runLoaded(['validate', file, '--json']);
  expect(code).toBe(0);
  const report = validationReportSchema.parse(JSON.parse(stdout));
  expect(report).toMatchObject({
    errors: 0,
    warnings: 1,
    dataSets: [
      { kind: 'instances', source: file, isGenerated: false, rows: 5, counts: { 'one-of-each-type': 1 } },
    ],
  });
  expect(report.dataSets[0]?.findings).toMatchObject([
    { severity: 'warning', file, row: 4, persona_id: '2+baker' },
  ]);
});

test('Ctrl-C ends it at once, even while the Hub does not answer', async () => {
  const sockets: Socket[] = [];
  const silent = createServer((socket) => sockets.push(socket));
  const port = await listen(silent);
  try {
    const validating = startCupid(['validate', 'owner/name'], {
      HF_ENDPOINT: `http://127.0.0.1:${port}`,
      HF_HOME: join(folder, 'hub'),
    });
    await once(silent, 'connection');
    expect(await interrupt(validating)).toMatchObject({ stdout: '' });
  } finally {
    for (const socket of sockets) socket.destroy();
    silent.close();
  }
});

/** Splits the lines of a report from those of its table of quality figures. */
function splitFigures(report: string): [text: string[], figures: string[]] {
  const lines = report.split('\n');
  const first = lines.findIndex((line) => line.startsWith('Quality '));
  const figures = lines.splice(first, lines.indexOf('', first) - first);
  return [lines, figures];
}
