import { join } from 'node:path';
import { startStandIn, type StandIn } from '../stand-in/chat-server';
import { dataSetHashes, temporaryFolder, type Running } from './command';
import { journalSize } from './journal';
import { endLeftovers, startSynth } from './processes';

/** Calls in flight of every run that is disturbed. */
export const CONCURRENCY = 8;

/** A stand-in model, and what came out of a run over it that nobody disturbed: what every other run must come to. */
export interface Undisturbed {
  /** Where the runs' folders are. */
  readonly folder: string;
  readonly standIn: StandIn;
  readonly hashes: Record<string, string>;
  /** Calls that a whole run takes. */
  readonly calls: number;
  /** Starts, or continues, the same run in a folder of this name. */
  start(name: string): Running;
}

/** Makes the undisturbed run before the file's tests; what is left of a test's processes is ended after it. */
export function undisturbedRun(personas: number, options: Parameters<typeof startStandIn>[0]): Undisturbed {
  const folder = temporaryFolder();
  let made: { standIn: StandIn; hashes: Record<string, string>; calls: number } | undefined;
  const now = () => {
    if (made === undefined)
      throw new Error('The undisturbed run is made before the tests, not while they are read.');
    return made;
  };
  const startWith = (standIn: StandIn, name: string) =>
    startSynth(
      join(folder, name),
      `--model=${standIn.spec}`,
      `--n-personas=${personas}`,
      `--concurrency=${CONCURRENCY}`,
    );
  beforeAll(async () => {
    const standIn = await startStandIn(options);
    expect(await startWith(standIn, 'undisturbed').ended).toMatchObject({ code: 0 });
    const run = join(folder, 'undisturbed');
    made = { standIn, hashes: await dataSetHashes(run), calls: await journalSize(run) };
  });
  afterEach(endLeftovers);
  afterAll(() => now().standIn.goDown());
  return {
    folder,
    get standIn() {
      return now().standIn;
    },
    get hashes() {
      return now().hashes;
    },
    get calls() {
      return now().calls;
    },
    start: (name) => startWith(now().standIn, name),
  };
}
