import { join } from 'node:path';
import { startStandIn, type StandIn } from '../stand-in/chat-server';
import { hashDataSets, type Ended, type Running } from './command';
import { createTemporaryFolder } from '../temporary-folder';
import { countJournalEntries } from './journal';
import { runLoaded } from './loaded-command';
import { endLeftovers, startCommand } from './processes';
import type { ModelWork } from './survival';

/** Calls in flight of every run that is disturbed. */
export const CONCURRENCY = 8;

/** A stand-in model, and what came out of a run over it that nobody disturbed: what every other run must come to. */
export interface Undisturbed {
  /** Directory that contains the runs' folders. */
  readonly folder: string;
  readonly standIn: StandIn;
  readonly hashes: Record<string, string>;
  /** Calls that a whole run takes. */
  readonly calls: number;
  /** Options of `synth` that make it the same run: all but folder, model and concurrency. */
  readonly size: readonly string[];
  /** Returns the command of the same run in a folder of this name, over the same stand-in or another of its kind. */
  commandOf(name: string, standIn?: StandIn): string[];
  /**
   * Starts, or continues, the same run in a folder of this name, over the same stand-in or another of its kind.
   * @param command another build of the command
   */
  start(name: string, standIn?: StandIn, command?: string): Running;
  /** Builds the same run in a folder of this name, to be killed. @param command returns another build of the command to continue with */
  killable(name: string, standIn: StandIn, command?: () => string | undefined): ModelWork;
  /** Continues the run to its end, undisturbed, in a process that has the program loaded. */
  finish(name: string, standIn?: StandIn): Promise<Ended>;
}

/**
 * Makes the undisturbed run before the file's tests; what is left of a test's processes is ended after it. Its personas have as few
 * sessions as an instance can do with, since every call costs the tests' own machine.
 * @param nSessions more of them
 */
export function setUpUndisturbedRun(
  personas: number,
  options: Parameters<typeof startStandIn>[0],
  nSessions = 9,
): Undisturbed {
  const size = [`--n-personas=${personas}`, `--n-sessions=${nSessions}`];
  const folder = createTemporaryFolder();
  let made: { standIn: StandIn; hashes: Record<string, string>; calls: number } | undefined;
  const now = () => {
    if (made === undefined)
      throw new Error('The undisturbed run is made before the tests, not while they are read.');
    return made;
  };
  const commandOf = (name: string, standIn = now().standIn) => {
    const args = [`--model=${standIn.spec}`, ...size, `--concurrency=${CONCURRENCY}`];
    return ['synth', '--output-dir', join(folder, name), ...args];
  };
  beforeAll(async () => {
    const standIn = await startStandIn(options);
    const { code, stderr } = await runLoaded(commandOf('undisturbed', standIn));
    if (code !== 0) {
      await standIn.goDown();
      throw new Error(`The undisturbed run ended with code ${code}: ${stderr}`);
    }
    const run = join(folder, 'undisturbed');
    made = { standIn, hashes: await hashDataSets(run), calls: await countJournalEntries(run) };
  });
  afterEach(endLeftovers);
  // Nothing comes after each of the tests that are carried out side by side.
  afterAll(endLeftovers);
  afterAll(() => now().standIn.goDown());
  const start = (name: string, standIn?: StandIn, command?: string) =>
    startCommand(commandOf(name, standIn), {}, command);
  return {
    folder,
    size,
    commandOf,
    get standIn() {
      return now().standIn;
    },
    get hashes() {
      return now().hashes;
    },
    get calls() {
      return now().calls;
    },
    start,
    killable: (name, standIn, command) => ({
      folder: join(folder, name),
      standIn,
      start: () => start(name, standIn, command?.()),
      calls: now().calls,
      concurrency: CONCURRENCY,
      ended: { code: 0, stdout: expect.stringContaining('no failures') },
      hash: hashDataSets,
      hashes: now().hashes,
    }),
    finish: (name, standIn) => runLoaded(commandOf(name, standIn)),
  };
}
