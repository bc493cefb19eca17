import { readdirSync, readFileSync, rmSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { grouped } from '../../rules/grouped';
import { randomOf } from '../../rules/random';
import { temporaryFolder } from '../temporary-folder';
import { dataSetHashes, startCupid, type Ended } from './command';
import { journalSnapshot, repeated, type JournalSnapshot } from './journal';

/** How many kills there are: a few in every test run, and as many as one likes with CUPID_CRASH_POINTS. */
const POINTS = Number(process.env['CUPID_CRASH_POINTS'] ?? 20);
const SEED = Number(process.env['CUPID_TEST_SEED'] ?? 11);
/** Kills of one run: each continuation is killed in its turn, until the last one comes to its end. */
const KILLS = 5;
const AT_ONCE = 2;

jest.setTimeout(120_000 + POINTS * 60_000);

const folder = temporaryFolder();
const inFolder = (name: string) => join(folder, name);
const PRELOAD = join(__dirname, 'crash-preload.js');

let hashes: Record<string, string>;
/** Writes, fsyncs, renames, links and removals of a run that nobody disturbs. */
let operations: number;

beforeAll(async () => {
  expect(await run('whole')).toMatchObject({ code: 0 });
  hashes = await dataSetHashes(inFolder('whole'));
  operations = Number(logOf('whole'));
  expect(operations).toBeGreaterThan(100);
});

test(`a run that is killed before or after any write, fsync or rename ends in the same bytes, and pays for no answer twice (${POINTS} points)`, async () => {
  const runs = Array.from({ length: Math.ceil(POINTS / KILLS) }, (_, at) => at);
  const total = runs.length;
  const killed: string[] = [];
  const tryRuns = async () => {
    for (let at = runs.shift(); at !== undefined; at = runs.shift()) killed.push(...(await survive(at)));
  };
  await Promise.all(Array.from({ length: AT_ONCE }, tryRuns));
  const kinds = grouped(killed, (where) => where.split(' ')[2] ?? '');
  const shown = [...kinds].map(([kind, own]) => `${kind} ${own.length}`).join(', ');
  process.stdout.write(
    `${killed.length} kills in ${total} runs of some ${operations} operations each, seed ${SEED}: ${shown}\n`,
  );
  // A run may end before its last kill comes.
  expect(killed.length).toBeGreaterThan((total * KILLS) / 2);
});

/** Kills a run and its continuations at points all along it, until it comes to its end. Returns what they were doing. */
async function survive(at: number): Promise<string[]> {
  const name = `run-${at}`;
  const random = randomOf('crash points', SEED, at);
  const killed: string[] = [];
  let answered: JournalSnapshot = new Map();
  for (let ended = false; !ended;) {
    const point = `${1 + random.integer(Math.ceil((2 * operations) / (KILLS + 1)))}:${random.pick(['before', 'after'])}`;
    const isLast = killed.length === KILLS;
    const { code, signal, stdout, stderr } = await (isLast ? run(name) : run(name, point));
    ended = signal !== 'SIGKILL';
    try {
      if (ended) {
        expect({ code, stderr }).toMatchObject({ code: 0 });
        expect(stdout).toContain('no failures');
        expect(await dataSetHashes(inFolder(name))).toEqual(hashes);
      } else {
        killed.push(logOf(name));
      }
      const journal = await journalSnapshot(inFolder(name));
      expect(repeated(answered, journal)).toEqual([]);
      // Every answer was paid for once: what was in the journal was sent by no later command.
      const known = new Set([...answered.keys()].map(keyOf));
      expect(newlySent(name).filter((key) => known.has(key))).toEqual([]);
      answered = journal;
    } catch (error) {
      throw new Error(
        `CUPID_TEST_SEED=${SEED}, run ${at}, after these kills:\n${killed.join('\n')}\n${error instanceof Error ? error.message : String(error)}`,
        { cause: error },
      );
    }
  }
  rmSync(inFolder(name), { recursive: true });
  return killed;
}

/** The smallest run that does everything: one persona, and dialogues in which either side answers. */
async function run(name: string, point?: string): Promise<Ended> {
  const options = ['--model=simulated:default', '--n-personas=1', '--n-sessions=9', '--max-turns=2'];
  return startCupid(['synth', '--output-dir', inFolder(name), ...options, '--concurrency=8'], {
    NODE_OPTIONS: `--require=${PRELOAD}`,
    CUPID_CRASH_FOLDER: inFolder(name),
    CUPID_CRASH_LOG: inFolder(`${name}.log`),
    ...(point === undefined ? {} : { CUPID_CRASH_AT: point }),
  }).ended;
}

function logOf(name: string): string {
  return readFileSync(inFolder(`${name}.log`), 'utf8');
}

/** The keys of the calls that were sent since this was called last. */
function newlySent(name: string): string[] {
  const ledger = join(inFolder(name), '.cupid', 'ledger');
  return namesIn(ledger).flatMap((file) => {
    const path = join(ledger, file);
    if (seen.has(path)) return [];
    seen.add(path);
    return keysIn(path);
  });
}

const seen = new Set<string>();

function keysIn(ledger: string): string[] {
  // Killed while it wrote the last line, maybe.
  return [...readFileSync(ledger, 'utf8').matchAll(/"event":"sent".*"key":"([^"]*)"/g)].map(
    ([, key = '']) => key,
  );
}

function namesIn(directory: string): string[] {
  try {
    return readdirSync(directory);
  } catch {
    // Killed before any worker opened its ledger.
    return [];
  }
}

/** The key of an entry, by the path of its file. */
function keyOf(path: string): string {
  return `${decodeURIComponent(basename(dirname(path)))}#${basename(path, '.json')}`;
}
