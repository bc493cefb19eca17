import { spawnSync } from 'node:child_process';
import {
  copyFileSync,
  cpSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import * as z from 'zod';
import { hasPart, needing } from '../parts/needing';
import { S3Server } from '../s3-server';
import { HubStandIn } from '../stand-in/hub-server';
import { createTemporaryFolder } from '../temporary-folder';
import { buildBareEnvironment, type Ended } from './command';
import { LoadedCommand } from './loaded-command';
import { expectNoStackTrace, readFilesBelow } from './refusal';
import { listTasks, saveAnnotation, untilServed, type Ask } from './page-requests';
import { endLeftovers, startCommand, until } from './processes';

const folder = createTemporaryFolder();
/** A run with all that is made of it; each command works on a copy at the same place. */
const whole = join(folder, 'whole');
const place = join(folder, 'place');
/** The targets of links. */
const outside = join(folder, 'outside');
const victim = join(outside, 'victim');
const log = join(folder, 'opened');
const run = join(place, 'run');
const failed = join(place, 'failed');
const stored = join(place, 'stored');
const results = join(place, 'results');
const review = join(place, 'review');
const people = join(place, 'people');
const reference = join(place, 'reference');
const pack = join(place, 'pack');

const TRACE = join(__dirname, 'trace-opens.js');
const traced = new LoadedCommand(() => ({ execArgv: ['--require', TRACE] }));
const storage = new S3Server();
const bucket = `s3://${storage.bucket}`;

const MODEL = '--model=simulated:default';
// Small personas, since a run that grows makes one again and again.
const SIZE = ['--n-sessions=9', '--max-turns=2'];
const SYNTH = ['synth', `--output-dir=${run}`, MODEL, '--no-check', ...SIZE];
const FAILING = [
  'synth',
  `--output-dir=${failed}`,
  MODEL,
  '--user-model=simulated:default?malformed=0.9',
  '--n-personas=1',
  '--no-check',
  ...SIZE,
];
const EVAL = [
  'eval',
  `--data=${run}`,
  `--results-dir=${results}`,
  MODEL,
  '--evaluator=simulated:default',
  '--no-check',
];
const PEOPLE = ['review', run, `--results-dir=${people}`];
const MADE = [
  [...SYNTH, '--n-personas=1'],
  [...EVAL, '--limit=1'],
  ['verify', run, MODEL],
  ['review', run, '--auto', `--results-dir=${review}`],
  ['report', run, results],
  ['export', run, '--format=reference', `--output-dir=${reference}`],
];

/** A command on what is made. */
interface Walked {
  readonly command: readonly string[];
  /** Sends requests to the page that the command serves, and returns the answers. */
  readonly visit?: (ask: Ask) => Promise<string[]>;
}

const ONLINE: readonly Walked[] = [
  { command: [...SYNTH, '--n-personas=1'] },
  { command: [...SYNTH, '--n-personas=2'] },
  { command: ['synth', `--output-dir=${join(place, 'new')}`, MODEL, `--prompts=${pack}`, '--estimate'] },
  { command: ['status', run] },
  { command: ['status', results] },
  { command: ['set', run, '--budget=900Mtok'] },
  { command: ['pause', run] },
  { command: ['failures', failed] },
  { command: ['replay', '1/s1', `--output-dir=${failed}`] },
  { command: ['retry', results, '--no-check'] },
  { command: ['eval', `--results-dir=${results}`, '--rescore'] },
  { command: ['verify', run, MODEL] },
  { command: ['review', run, '--auto', `--results-dir=${review}`] },
  { command: PEOPLE, visit: visitReview },
  { command: ['validate', run] },
  { command: ['report', run, results] },
  { command: ['explore', run, results], visit: visitExplorer },
  { command: ['export', run, `--output-dir=${join(place, 'exported')}`, '--verified'] },
  { command: ['export', results, `--output-dir=${join(place, 'training')}`, '--format=prefmatcher'] },
  { command: ['import', reference, `--output-dir=${join(place, 'imported')}`] },
  { command: ['publish', run, '--repo=kim/cupid', '--allow-simulated'] },
];
const STORED: readonly Walked[] = [
  { command: ['push', run, `${bucket}/pushed-NEW`] },
  { command: ['pull', `${bucket}/stored`, stored] },
  { command: ['pull', `${bucket}/stored`, join(place, 'pulled')] },
];

const TRAPS = {
  link: (path: string, isDirectory: boolean) => symlinkSync(isDirectory ? outside : victim, path),
  'link without end': (path: string) => symlinkSync('/dev/zero', path),
  FIFO: (path: string) => spawnSync('mkfifo', [path]),
  directory: (path: string) => mkdirSync(path),
} as const;
type Trap = keyof typeof TRAPS;
const OTHERS = ['link without end', 'FIFO', 'directory'] as const;

let hub: HubStandIn;
beforeAll(async () => {
  hub = await HubStandIn.start();
  hub.users.set('hf_ofTheseTests', { name: 'kim', role: 'write' });
  if (hasPart('storage')) await storage.start();
  mkdirSync(place);
  mkdirSync(outside);
  writeFileSync(victim, 'precious');
  cpSync(join(__dirname, '..', '..', 'data', 'prompts', 'pack'), pack, { recursive: true });
  for (const command of MADE) {
    const ended = await cupid({ command });
    expect({ command, ...ended }).toMatchObject({ code: 0 });
  }
  // Nothing is decided in this review.
  const undecided = [...PEOPLE, '--rater=anna', '--rater=ben', '--finish'];
  for (const command of [FAILING, undecided]) expect(await cupid({ command })).toMatchObject({ code: 3 });
  if (hasPart('storage')) {
    cpSync(run, stored, { recursive: true });
    expect(await cupid({ command: ['push', stored, `${bucket}/stored`] })).toMatchObject({ code: 0 });
  }
  cpSync(place, whole, { recursive: true });
});
afterEach(endLeftovers);
afterAll(async () => {
  await hub.stop();
  await storage.remove();
});

const nameEach = (commands: readonly Walked[]): [string, Walked][] =>
  commands.map((walked) => [
    walked.command.join(' ').replaceAll(`${place}/`, '').replaceAll(bucket, 's3:'),
    walked,
  ]);
const TITLE =
  'whatever a link, a FIFO or a directory replaces, nothing outside is touched and the file is named: %s';
test.each(nameEach(ONLINE))(TITLE, (_, walked) => expectNothingFollowed(walked));
needing('storage').test.each(nameEach(STORED))(TITLE, (_, walked) => expectNothingFollowed(walked));

/**
 * Replaces every path by a link, unless all places that open it have met one elsewhere, in whichever command. The place that opens it
 * first must have met one as the first. A path opened without `data/store/own-file.ts` is detected because the link is followed. Other
 * traps replace one path for each way of opening, since the unit tests of that module cover them.
 */
async function expectNothingFollowed(walked: Walked): Promise<void> {
  const { opened, ended: undisturbed } = await listOpened(walked);
  expect(opened.size).toBeGreaterThan(3);
  const traps = [...opened].flatMap(([path, [first, ...others]]) => {
    const all = [first, ...others].map(({ way, callers }) => `${way} ${callers}`);
    // Most commands end at the first opening.
    const openings = [`first: ${all[0]}`, ...all];
    const links = openings.every((opening) => tried.has(opening)) ? [] : (['link'] as const);
    const further = tried.has(first.way) ? [] : OTHERS;
    for (const opening of [first.way, ...openings]) tried.add(opening);
    const isDirectory = /^(?:mkdir|readdir)/.test(first.way);
    return [...links, ...further].map((trap) => ({ path, trap, isDirectory }));
  });
  const unnamed: object[] = [];
  for (const { path, trap, isDirectory } of traps) {
    restore();
    const target = join(place, path);
    rmSync(target, { recursive: true, force: true });
    mkdirSync(dirname(target), { recursive: true });
    TRAPS[trap](target, isDirectory);
    const before = readFilesBelow(outside);
    const ended = await Promise.race([cupid(walked), failAfterMinutes(`${trap} at ${path}`)]);
    expect({ path, trap, outside: readFilesBelow(outside) }).toEqual({ path, trap, outside: before });
    expectNoStackTrace(ended);
    const isNamed = `${ended.stdout}${ended.stderr}`.includes(`${target} is a`);
    // A command may ignore files that it does not need. A directory points nowhere else, and an empty one may count as missing.
    const isHarmless = trap === 'directory' || normalize(ended) === normalize(undisturbed);
    if (!isNamed && !isHarmless) unnamed.push({ path, trap, ...ended });
  }
  expect(unnamed).toEqual([]);
}

test.each<Trap>(['link', ...OTHERS])('a bundle that is a %s is named, and not replayed', async (trap) => {
  restore();
  const failures = join(failed, 'failures');
  const bundle = join(failures, readdirSync(failures).find((name) => name.endsWith('.bundle.json')) ?? '');
  expect(await cupid({ command: ['replay', bundle] })).toMatchObject({ code: 0 });
  rmSync(bundle);
  TRAPS[trap](bundle, false);
  const before = readFilesBelow(outside);
  const ended = await Promise.race([cupid({ command: ['replay', bundle] }), failAfterMinutes(trap)]);
  expect(ended.code).not.toBe(0);
  expect(ended.stderr).toContain(bundle);
  expect(readFilesBelow(outside)).toEqual(before);
});

/** Openings, and ways of opening, that have met a trap. */
const tried = new Set<string>();

/** Fails a hanging command, since a normal one takes seconds. */
async function failAfterMinutes(what: string): Promise<never> {
  await wait(5 * 60_000, undefined, { ref: false });
  throw new Error(`The command hangs: ${what}`);
}

interface Opening {
  readonly way: string;
  /** Place in the program that asks for the path, and that place's user. */
  readonly callers: string;
}
type Openings = readonly [Opening, ...Opening[]];

/** Lists the paths in the folders that a command opens under the same name each time, each with its openings. */
async function listOpened(
  walked: Walked,
): Promise<{ readonly opened: ReadonlyMap<string, Openings>; readonly ended: Ended }> {
  restore();
  writeFileSync(log, '');
  const ended = await cupid(walked, { CUPID_TRACE_FOLDER: place, CUPID_TRACE_LOG: log });
  // A review that Ctrl-C ends is not done.
  expect({ ...ended, code: [0, 130].includes(ended.code ?? 1) }).toMatchObject({ code: true });
  const opened = new Map<string, Openings>();
  const known = new Set<string>();
  for (const line of readFileSync(log, 'utf8').trim().split('\n')) {
    const [way = '', path = '', callers = ''] = line.split('\t');
    // One workflow's journal stands for all, and one entry for the others.
    const key = path.includes('/journal/') ? `${way} journal` : path;
    const before = opened.get(path);
    // The folder that the user names may be a link.
    if (before !== undefined) opened.set(path, [...before, { way, callers }]);
    else if (path.includes('/') && isRepeated(path) && !known.has(key)) opened.set(path, [{ way, callers }]);
    known.add(key);
  }
  return { opened, ended };
}

/** Returns whether a command opens the path under the same name again. Other paths stand in folders that are opened as well. */
function isRepeated(path: string): boolean {
  return (
    existsSync(join(whole, path)) ||
    !/\.writing-|\/scratch|^exported|^training|^imported|\/ledger\//.test(path)
  );
}

/** Returns how a command ended, without times, sizes and identifiers. */
function normalize({ code, stdout }: Ended): string {
  return `${code} ${stdout.replaceAll(/[\da-f]+/g, '0')}`;
}

/** Copies again what the last command or its trap changed in the place: copying all of it took as long as the commands. */
function restore(): void {
  for (const [path, state] of listStates(place)) {
    if (restored.get(path) !== state) rmSync(join(place, path), { recursive: true, force: true });
  }
  const kept = listStates(place);
  for (const path of listStates(whole).keys()) {
    if (kept.has(path)) continue;
    const [from, to] = [join(whole, path), join(place, path)];
    if (statSync(from).isDirectory()) mkdirSync(to);
    else copyFileSync(from, to);
    restored.set(path, getState(to));
  }
}

/** States of the paths in the place when they were copied there. */
const restored = new Map<string, string>();

/** Lists the paths below a folder, each directory before its own, with their states. */
function listStates(root: string, below = ''): Map<string, string> {
  const states = new Map<string, string>();
  for (const name of readdirSync(join(root, below))) {
    const path = join(below, name);
    const state = getState(join(root, path));
    states.set(path, state);
    if (state === DIRECTORY) for (const [inner, own] of listStates(root, path)) states.set(inner, own);
  }
  return states;
}

/** Returns what differs after any change of a file. */
function getState(path: string): string {
  const file = lstatSync(path, { bigint: true });
  return file.isDirectory() ? DIRECTORY : `${file.ino} ${file.size} ${file.mtimeNs} ${file.ctimeNs}`;
}

const DIRECTORY = 'directory';

async function visitExplorer(ask: Ask): Promise<string[]> {
  await until(async () => !(await ask('/api/progress')).includes('"reading":true'));
  const list = await ask('/api/instances');
  const rows = rowsSchema.safeParse(JSON.parse(list)).data?.rows ?? [];
  const instances = rows.slice(0, 1).map((row) => `/api/instance?${new URLSearchParams(row).toString()}`);
  const paths = ['/api/about', ...instances, '/api/dialogue?persona=1&session=1', '/api/failures'];
  return [list, ...(await Promise.all(paths.map((path) => ask(path))))];
}

const rowsSchema = z.object({ rows: z.array(z.object({ persona: z.string(), type: z.string() })) });

async function visitReview(ask: Ask): Promise<string[]> {
  const [task = ''] = await listTasks(ask);
  return [await ask('/api/about'), task, await saveAnnotation(ask, { rater: 'anna', task })];
}

let count = 0;

/** Carries out a command; one that serves a page until it is visited. */
async function cupid({ command, visit }: Walked, variables: Record<string, string> = {}): Promise<Ended> {
  const args = command.map((word) => word.replace('NEW', String((count += 1))));
  const environment = {
    HF_ENDPOINT: hub.url,
    HF_TOKEN: 'hf_ofTheseTests',
    HF_HOME: join(folder, 'cache'),
    ...storage.environment,
    ...variables,
  };
  if (visit === undefined) return traced.run(args, { ...buildBareEnvironment(), ...environment });
  const running = startCommand(args, { ...environment, NODE_OPTIONS: `--require=${TRACE}` });
  const ask = await untilServed(running);
  const answers = ask === undefined ? [] : await visit(ask);
  running.child.kill('SIGINT');
  const ended = await running.ended;
  // The token of each link is another one.
  return { ...ended, stdout: [ended.stdout.replaceAll(/token=[\w-]+/g, ''), ...answers].join('\n') };
}
