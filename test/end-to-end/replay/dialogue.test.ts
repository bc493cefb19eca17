import { readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { readBundle } from '../../../data/run/bundles';
import type { Bundle, RecordedHistory } from '../../../schemas/run/bundle';
import { present } from '../../recorded-work';
import { createTemporaryFolder } from '../../temporary-folder';
import { COMMAND } from '../command';
import { runLoaded } from '../loaded-command';
import { runNodeOffline, runOffline } from './offline';

type Events = RecordedHistory['events'];

const folder = createTemporaryFolder();
/** The bundle of a dialogue whose user has no usable answer in some turn. */
let file: string;
let bundle: Bundle;

beforeAll(async () => {
  const settings = join(folder, 'settings.yaml');
  writeFileSync(settings, JSON.stringify({ steps: { user: { maxRepairs: 1, maxSamples: 1 } } }));
  const out = join(folder, 'out');
  const size = ['--n-personas=2', '--n-sessions=9', '--max-turns=4'];
  const model = '--model=simulated:default?malformed=0.3';
  await runLoaded(['synth', `--output-dir=${out}`, model, `--settings=${settings}`, ...size]);
  const failures = readdirSync(join(out, 'failures'));
  file = join(out, 'failures', present(failures.find((name) => /-s\d+\.bundle/.test(name))));
  bundle = present(await readBundle(file));
});

/** Replays the changed bundle. */
async function replayChanged(change: Partial<Bundle>, ...options: string[]) {
  const changed = join(folder, 'changed.bundle.json');
  writeFileSync(changed, JSON.stringify({ ...bundle, ...change }));
  const { stdout, ...ended } = await runOffline(folder, 'replay', changed, ...options);
  return { ...ended, stdout: stdout.replaceAll(/\s+/g, ' ') };
}

test('a dialogue is shown offline, in lines no wider than 100, and no further than the turn that is wished', async () => {
  const offline = await runNodeOffline(folder, '-e', `require('node:net').connect(1)`);
  expect(offline.stderr).toContain('the network is off');
  const whole = await runOffline(folder, 'replay', file);
  expect(whole).toMatchObject({ code: 0, stderr: '' });
  expect(Math.max(...whole.stdout.split('\n').map((line) => line.length))).toBeLessThanOrEqual(100);
  const { turn } = present(bundle.failure);
  expect(whole.stdout).toContain(`Failed at step user, turn ${turn} (bad-answers)`);
  expect(whole.stdout).toContain('The replay matches the recording');
  const part = await runOffline(folder, 'replay', file, '--until-turn', '1');
  expect(part.stdout).toContain('Turn 1');
  expect(part.stdout).not.toContain('Turn 2');
});

test('a difference ends the command with exit code 1 and is named in words', async () => {
  const failure = { ...present(bundle.failure), cause: 'Nothing usable.' };
  expect(await replayChanged({ failure })).toMatchObject({
    code: 1,
    stdout: expect.stringMatching(
      /differs from the recording at step user, turn \d: the recording fails: Nothing usable, this version fails: No usable/,
    ),
  });
});

test('a damaged entry ends the command with exit code 1 and is named at its turn', async () => {
  const entries = bundle.entries.map((entry) =>
    JSON.stringify(entry).includes('.assistant.t1.a0"') ? { ...entry, durationMs: 1.5 } : entry,
  );
  const problem = 'The journal entry of this answer is damaged: its content does not match its SHA-256.';
  const stdout: unknown = expect.stringContaining(problem);
  expect(await replayChanged({ entries })).toMatchObject({ code: 1, stdout });
});

test('the history of its workflow replays with the code of today', async () => {
  const ended = await runOffline(folder, 'replay', file, '--history', '--json');
  expect(ended).toMatchObject({ code: 0, stderr: '' });
  const events = present(bundle.history).events.length;
  expect(JSON.parse(ended.stdout)).toMatchObject({ events, isReplayable: true });
  const bare = await replayChanged({ history: undefined, missingParts: ['It was gone.'] }, '--history');
  expect(bare).toMatchObject({ code: 1, stderr: expect.stringContaining('has no history. It was gone.') });
});

/** Events with other numbers, as if none were missing. */
const number = (events: Events): Events => events.map((event, at) => ({ ...event, eventId: String(at + 1) }));
const isDamaged = 'is damaged: ';
const differs = /does not replay: at event \d+ \([A-Z_]+\) the workflow does/;

test.each<[string, (events: Events) => Events, string, string | RegExp]>([
  ['cut at its end', (all) => all.slice(0, -9), isDamaged, 'before the failure that the bundle is about'],
  ['cut at its beginning', (all) => all.slice(1), isDamaged, 'event 1 of its history has the number "2"'],
  ['numbered again', (all) => number(all.slice(1)), isDamaged, 'event 1 of its history does not start a'],
  ['cut to one event', (all) => all.slice(0, 1), isDamaged, 'its history ends at event 1, before the'],
  [
    'without fields',
    (all) => all.with(6, dropFields(present(all[6]))),
    isDamaged,
    'Temporal cannot replay its history (Missing',
  ],
  ['reordered', (all) => number([...all.slice(0, 4), ...all.slice(7, 10), ...all.slice(4)]), '', differs],
  ['giant', (all) => number([...all, ...Array<Events[0]>(5_000).fill(present(all[4]))]), '', differs],
])('a history that was %s is named', async (_, change, damage, text) => {
  const history = { events: change(present(bundle.history).events) };
  const { code, stdout, stderr } = await replayChanged({ history }, '--history');
  expect(code).toBe(1);
  expect(stderr).toContain(damage);
  expect(stdout + stderr).toMatch(text);
});

function dropFields({ eventId, eventType }: Events[0]): Events[0] {
  return { eventId, eventType };
}

test('a replay that does not end is given up as damage, and the command ends', async () => {
  const hook = join(folder, 'endless.cjs');
  // Waits a hundredth of the time; would the command wait without end, so would this test.
  writeFileSync(
    hook,
    `const { timeout } = AbortSignal;
    AbortSignal.timeout = (ms) => timeout.call(AbortSignal, ms / 100);
    const { Worker } = require(${JSON.stringify(require.resolve('@temporalio/worker'))});
    Worker.runReplayHistory = () => new Promise(() => setInterval(() => undefined, 1_000));`,
  );
  const ended = await runNodeOffline(folder, '--require', hook, COMMAND, 'replay', file, '--history');
  expect(ended).toMatchObject({ code: 1, stdout: '' });
  expect(ended.stderr).toContain('is damaged: the replay of its history did not end.');
});
