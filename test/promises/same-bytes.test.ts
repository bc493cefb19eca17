import { readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { hashDataSets, runCupid } from '../end-to-end/command';
import { createTemporaryFolder } from '../temporary-folder';
import { runLoaded } from '../end-to-end/loaded-command';

const folder = createTemporaryFolder();
const commandOf = (name: string, ...more: string[]) => [
  'synth',
  `--output-dir=${join(folder, name)}`,
  '--model=simulated:default',
  '--n-personas=2',
  ...more,
];

describe('cupid synth', () => {
  test('leaves data sets, and a second run of the same command changes nothing and says so', async () => {
    const first = await runLoaded(commandOf('twice', '--concurrency', '64'));
    expect(first).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('2 personas, 6 instances, no failures.'),
    });
    const before = await Promise.all(FILES.map((file) => stat(join(folder, 'twice', file))));
    const second = await runLoaded(commandOf('twice', '--concurrency', '64'));
    expect(second).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('is already finished. Nothing was changed.'),
    });
    const after = await Promise.all(FILES.map((file) => stat(join(folder, 'twice', file))));
    expect(after.map(({ ino, mtimeMs }) => ({ ino, mtimeMs }))).toEqual(
      before.map(({ ino, mtimeMs }) => ({ ino, mtimeMs })),
    );
  });

  test('its cards and cupid validate have the same figures of quality', async () => {
    const card = await readFile(join(folder, 'twice', 'CUPID-Raw', 'README.md'), 'utf8');
    const rows = [
      ...card.matchAll(
        /^\| (Requests|Checklist items selected|User messages that|Dialogues that|Choices where|Instances|Personas (?:with|whose|described))[ ,][^|]*\| [^|]* % [^|]*\|/gm,
      ),
    ];
    expect(rows).toHaveLength(18);
    const { stdout } = await runLoaded(['validate', join(folder, 'twice')]);
    for (const [row] of rows) {
      const [, name = '', value = ''] = row.split('|').map((cell) => cell.trim());
      // A terminal has the interval in a column of its own.
      const numbers = value.split(/ \(|\)/).filter((number) => number !== '');
      expect(stdout).toMatch(new RegExp(`^${[name, ...numbers].map(escape).join(' +')} `, 'm'));
    }
  });

  test('gives the same bytes whatever the number of calls in flight', async () => {
    // In two processes, which share no state.
    await runCupid(commandOf('one', '--concurrency', '1'));
    expect(await hashDataSets(join(folder, 'one'))).toEqual(await hashDataSets(join(folder, 'twice')));
  });
});

/** Escapes a text for a regular expression. */
function escape(text: string): string {
  return text.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&');
}

const FILES = [
  'run.json',
  'provenance.parquet',
  'CUPID-Unverified/test.parquet',
  'CUPID-Unverified/test.arrow',
  'CUPID-Unverified/README.md',
  'CUPID-Raw/test.parquet',
  'CUPID-Raw/README.md',
];
