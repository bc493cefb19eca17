import { join } from 'node:path';
import { startStandIn, type StandIn } from '../stand-in/chat-server';
import { PrefixCache } from '../stand-in/prefix-cache';
import { createTemporaryFolder } from '../temporary-folder';
import { runLoaded } from './loaded-command';

/** A provider that reads from its cache only what was marked in an earlier request, and charges more for what is written. */

const folder = createTemporaryFolder();
const SPEC = 'openai:gpt-6-luna';
let standIn: StandIn;

beforeAll(async () => {
  standIn = await startStandIn({ cache: new PrefixCache() });
});
afterEach(() => expect(standIn.misunderstood).toEqual([]));
afterAll(() => standIn.goDown());

test('a user simulator reads most of its input from the cache', async () => {
  // One call at a time: calls at the same time cannot read what the others write, which weighs more in so small a run.
  await cupid('synth', '--output-dir', join(folder, 'run'), '--n-personas=1', '--concurrency=1');
  expect(cached('user')).toBeGreaterThanOrEqual(0.75);
});

test('inference and response read almost half of theirs, and one-shot calls write nothing', async () => {
  await cupid(
    'eval',
    `--data=${join(folder, 'run')}`,
    `--results-dir=${join(folder, 'results')}`,
    `--evaluator=${SPEC}`,
    '--task=both',
  );
  expect(cached('infer', 'respond')).toBeGreaterThanOrEqual(0.4);
  const writing = standIn.received.filter(({ cache }) => cache !== undefined && cache.written > 0);
  expect(new Set(writing.map(({ step }) => step))).toEqual(new Set(['user', 'infer', 'match']));
});

async function cupid(...options: string[]): Promise<void> {
  const environment = { OPENAI_API_KEY: 'sk-test', OPENAI_BASE_URL: standIn.url };
  expect(await runLoaded([...options, '--model', SPEC], environment)).toMatchObject({ code: 0 });
}

/** Returns the share (0..1) of these steps' input that was read from the cache. */
function cached(...steps: readonly string[]): number {
  const uses = standIn.received.flatMap(({ step = '', cache }) =>
    cache !== undefined && steps.includes(step) ? [cache] : [],
  );
  const read = uses.reduce((total, use) => total + use.read, 0);
  return read / uses.reduce((total, use) => total + use.input, 0);
}
