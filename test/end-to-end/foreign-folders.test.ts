import { spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { HubStandIn } from '../stand-in/hub-server';
import { createTemporaryFolder } from '../temporary-folder';
import { buildBareEnvironment, type Ended } from './command';
import { LoadedCommand } from './loaded-command';
import { expectNoStackTrace, readFilesBelow } from './refusal';

const folder = createTemporaryFolder();
/** A run with all that is made of it; each command works on a copy at the same place. */
const whole = join(folder, 'whole');
const place = join(folder, 'place');
/** The targets of links. */
const outside = join(folder, 'outside');
const victim = join(outside, 'victim');
const log = join(folder, 'opened');
const run = join(place, 'run');
const results = join(place, 'results');
const review = join(place, 'review');

const traced = new LoadedCommand(() => ({ execArgv: ['--require', join(__dirname, 'trace-opens.js')] }));

const MODEL = '--model=simulated:default';
const SYNTH = ['synth', `--output-dir=${run}`, MODEL, '--no-check'];
const EVAL = [
  'eval',
  `--data=${run}`,
  `--results-dir=${results}`,
  MODEL,
  '--evaluator=simulated:default',
  '--no-check',
];
const MADE = [
  [...SYNTH, '--n-personas=1'],
  [...EVAL, '--limit=1'],
  ['verify', run, MODEL],
  ['review', run, '--auto', `--results-dir=${review}`],
  ['report', run, results],
];
/** Commands on what is made, each with the folder that its new files are in. */
const COMMANDS = [
  [...SYNTH, '--n-personas=1'],
  ['status', run],
  ['status', results],
  ['set', run, '--budget=900Mtok'],
  ['failures', run],
  ['retry', results, '--no-check'],
  ['eval', `--results-dir=${results}`, '--rescore'],
  ['verify', run, MODEL],
  ['review', run, '--auto', `--results-dir=${review}`],
  ['validate', run],
  ['report', run, results],
  ['export', run, `--output-dir=${join(place, 'exported')}`, '--verified'],
  ['export', results, `--output-dir=${join(place, 'training')}`, '--format=prefmatcher'],
  ['publish', run, '--repo=kim/cupid', '--allow-simulated'],
];

const TRAPS = {
  'link to a file': (path: string) => symlinkSync(victim, path),
  'link without end': (path: string) => symlinkSync('/dev/zero', path),
  FIFO: (path: string) => spawnSync('mkfifo', [path]),
  directory: (path: string) => mkdirSync(path),
} as const;

let hub: HubStandIn;
beforeAll(async () => {
  hub = await HubStandIn.start();
  hub.users.set('hf_ofTheseTests', { name: 'kim', role: 'write' });
  mkdirSync(place);
  mkdirSync(outside);
  writeFileSync(victim, 'precious');
  for (const command of MADE) {
    const ended = await cupid(command);
    expect({ command, ...ended }).toMatchObject({ code: 0 });
  }
  cpSync(place, whole, { recursive: true });
});
afterAll(() => hub.stop());

test.each(COMMANDS.map((command) => [command.join(' ').replaceAll(`${place}/`, ''), command] as const))(
  'whatever a link, a FIFO or a directory replaces, nothing outside is touched and the file is named: %s',
  async (_, command) => {
    const { paths, ended: undisturbed } = await listOpened(command);
    expect(paths.length).toBeGreaterThan(3);
    const unnamed: object[] = [];
    for (const [at, path] of paths.entries()) {
      for (const kind of ['link to a file', OTHERS[at % OTHERS.length] ?? 'FIFO'] as const) {
        restore();
        rmSync(join(place, path), { recursive: true, force: true });
        mkdirSync(dirname(join(place, path)), { recursive: true });
        TRAPS[kind](join(place, path));
        const before = readFilesBelow(outside);
        const ended = await cupid(command);
        expect({ path, kind, outside: readFilesBelow(outside) }).toEqual({ path, kind, outside: before });
        expectNoStackTrace(ended);
        const isNamed = `${ended.stdout}${ended.stderr}`.includes(`${join(place, path)} is a`);
        // A command may ignore files that it does not need. A directory points nowhere else, and an empty one may count as missing.
        const isHarmless = kind === 'directory' || normalize(ended) === normalize(undisturbed);
        if (!isNamed && !isHarmless) unnamed.push({ path, kind, ...ended });
      }
    }
    expect(unnamed).toEqual([]);
  },
);

const OTHERS = ['link without end', 'FIFO', 'directory'] as const;

/** The paths in the folders that a command opens, as far as they are the same each time. */
async function listOpened(
  command: readonly string[],
): Promise<{ readonly paths: string[]; readonly ended: Ended }> {
  restore();
  writeFileSync(log, '');
  const ended = await cupid(command, { CUPID_TRACE_FOLDER: place, CUPID_TRACE_LOG: log });
  expect({ command, ...ended }).toMatchObject({ code: 0 });
  // The folder that the user names may be a link.
  const opened = [...new Set(readFileSync(log, 'utf8').trim().split('\n'))];
  return { paths: opened.filter((path) => path.includes('/') && isRepeated(path)), ended };
}

/** Whether a command opens it under the same name again; others stand in folders that are opened as well. */
function isRepeated(path: string): boolean {
  return (
    existsSync(join(whole, path)) ||
    !/\.writing-|\/scratch|^exported|^training|\/(?:ledger|journal)\//.test(path)
  );
}

/** Returns a command's output without times, sizes and identifiers. */
function normalize({ stdout, stderr }: Ended): string {
  return `${stdout}${stderr}`.replaceAll(/[\da-f]+/g, '0');
}

function restore(): void {
  rmSync(place, { recursive: true, force: true });
  cpSync(whole, place, { recursive: true });
}

async function cupid(args: readonly string[], variables: Record<string, string> = {}): Promise<Ended> {
  return traced.run(args, {
    ...buildBareEnvironment(),
    HF_ENDPOINT: hub.url,
    HF_TOKEN: 'hf_ofTheseTests',
    HF_HOME: join(folder, 'cache'),
    ...variables,
  });
}
