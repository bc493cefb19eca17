import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { readLedgerLines } from '../../data/run/ledger';
import { createFolderStore } from '../../data/store/store';
import { groupBy } from '../../rules/group-by';
import { createRandom } from '../../rules/sampling/random';
import { createTemporaryFolder } from '../temporary-folder';
import { hashDataSets, startCupid, type Ended } from './command';
import { readJournalSnapshot, listRepeated, type JournalSnapshot } from './journal';
import { runLoaded } from './loaded-command';

/** How many points a run is killed at: a few in every test run, and as many as one likes with CUPID_CRASH_POINTS. */
const POINTS = Number(process.env['CUPID_CRASH_POINTS'] ?? 4);
const SEED = Number(process.env['CUPID_TEST_SEED'] ?? 11);
/** One in this many runs is killed again while it continues. */
const KILLED_AGAIN = 3;
/** Number of runs at once, since they wait more than they compute. */
const AT_ONCE = 3;

const folder = createTemporaryFolder();
const inFolder = (name: string) => join(folder, name);
const PRELOAD = join(__dirname, 'crash-preload.js');

let hashes: Record<string, string>;
/** Writes, fsyncs, renames, links and removals of a run that nobody disturbs. */
let operations: number;

beforeAll(async () => {
  expect(await runNumbered('whole')).toMatchObject({ code: 0 });
  hashes = await hashDataSets(inFolder('whole'));
  operations = Number(logOf('whole'));
  expect(operations).toBeGreaterThan(100);
});

test(`a run that is killed before or after any write, fsync or rename continues to the same bytes, and pays for no answer twice (${POINTS} points)`, async () => {
  const points = Array.from({ length: POINTS }, (_, at) => at);
  const killed: string[] = [];
  const tryPoints = async () => {
    for (let at = points.shift(); at !== undefined; at = points.shift()) killed.push(...(await survive(at)));
  };
  await Promise.all(Array.from({ length: AT_ONCE }, tryPoints));
  const kinds = groupBy(killed, (where) => where.split(' ')[2] ?? '');
  const shown = [...kinds].map(([kind, own]) => `${kind} ${own.length}`).join(', ');
  process.stdout.write(
    `${killed.length} kills in ${POINTS} runs of some ${operations} operations each, seed ${SEED}: ${shown}\n`,
  );
  // Runs differ by a few operations, so the last points may not be reached.
  expect(killed.length).toBeGreaterThanOrEqual(POINTS - 2);
});

/** Kills a run before or after one operation, each point in a stretch of its own, and lets it continue. Returns where it was killed. */
async function survive(at: number): Promise<string[]> {
  const name = `run-${at}`;
  const random = createRandom('crash points', SEED, at);
  // Two points share a stretch of the run: one before, one after an operation.
  const stretch = operations / Math.ceil(POINTS / 2);
  const operation = 1 + Math.floor((Math.floor(at / 2) + random.integer(1000) / 1000) * stretch);
  const kills = [`${operation}:${at % 2 === 0 ? 'before' : 'after'}`];
  if (at % KILLED_AGAIN === 0)
    kills.push(`${1 + random.integer(operations)}:${random.pick(['before', 'after'])}`);
  const killed: string[] = [];
  let answered: JournalSnapshot = new Map();
  for (let ended = false; !ended;) {
    const kill = kills.shift();
    const { code, signal, stdout, stderr } =
      kill === undefined ? await runLoaded(commandOf(name)) : await runNumbered(name, kill);
    ended = signal !== 'SIGKILL';
    try {
      if (ended) {
        expect({ code, stderr }).toMatchObject({ code: 0 });
        expect(stdout).toContain('no failures');
        expect(await hashDataSets(inFolder(name))).toEqual(hashes);
      } else {
        killed.push(logOf(name));
      }
      const journal = await readJournalSnapshot(inFolder(name));
      expect(listRepeated(answered, journal)).toEqual([]);
      // Every answer was paid for once: what was in the journal was sent by no later command.
      const sent = await listNewlySent(name);
      expect(sent.filter((key) => answered.has(key))).toEqual([]);
      answered = journal;
    } catch (error) {
      throw new Error(
        `CUPID_TEST_SEED=${SEED}, CUPID_CRASH_POINTS=${POINTS}, point ${at}, after these kills:\n${killed.join('\n')}\n${error instanceof Error ? error.message : String(error)}`,
        { cause: error },
      );
    }
  }
  rmSync(inFolder(name), { recursive: true });
  return killed;
}

/** Returns the arguments of the smallest run that does everything: one persona, and dialogues in which either side answers. */
function commandOf(name: string): string[] {
  const options = ['--model=simulated:default', '--n-personas=1', '--n-sessions=9', '--max-turns=2'];
  return ['synth', '--output-dir', inFolder(name), ...options, '--concurrency=8'];
}

/** Numbers what the command writes, and kills it at a point. */
async function runNumbered(name: string, point?: string): Promise<Ended> {
  return startCupid(commandOf(name), {
    NODE_OPTIONS: `--require=${PRELOAD}`,
    CUPID_CRASH_FOLDER: inFolder(name),
    CUPID_CRASH_LOG: inFolder(`${name}.log`),
    ...(point === undefined ? {} : { CUPID_CRASH_AT: point }),
  }).ended;
}

function logOf(name: string): string {
  return readFileSync(inFolder(`${name}.log`), 'utf8');
}

/** Lists the keys of the calls sent since the last call of this function. */
async function listNewlySent(name: string): Promise<string[]> {
  const keys: string[] = [];
  for (const { worker, lines } of await readLedgerLines(createFolderStore(join(inFolder(name), '.cupid')))) {
    if (seen.has(worker)) continue;
    seen.add(worker);
    for await (const line of lines) if (line.event === 'sent') keys.push(line.key);
  }
  return keys;
}

/** Workers whose ledgers were read. */
const seen = new Set<string>();
