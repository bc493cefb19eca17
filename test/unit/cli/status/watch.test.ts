import { watchRun } from '../../../../cli/status/watch';
import { RunNotFound, RunStarting } from '../../../../runs/folder/run-folder';
import type { RunStatus } from '../../../../runs/status/run-status';

type State = RunStatus['state'];

test('a run is watched from before its beginning, through its stops, until it is finished', async () => {
  const missing = new RunNotFound('There is no folder out.');
  const starting = new RunStarting('out contains no run yet.');
  const stopped = ['stopped', 'stopped', 'ended'] as const;
  const seen = await watched([missing, missing, starting, 'running', ...stopped, 'running', 'finished']);
  // A run at rest is shown once.
  expect(seen).toEqual(['no run', 'running', 'stopped', '(stopped)', 'ended', 'running', 'finished']);
  expect(await watched(['running', 'running', 'finished'])).toEqual(['running', 'running', 'finished']);
});

test('another problem ends it', async () => {
  await expect(watched(['running', new Error('The plan is damaged.')])).rejects.toThrow('damaged');
});

test('it ends at once when its user leaves', async () => {
  const leaving = new AbortController();
  const watching = watchRun(() => Promise.resolve(statusOf('stopped')), {
    onStatus: () => leaving.abort(),
    onMissing: () => undefined,
    intervalMs: 3_600_000,
    leaving: leaving.signal,
  });
  await expect(watching).resolves.toBeUndefined();
});

/** Watches a run that is read as these states, and returns what is shown; in brackets what is not news. */
async function watched(states: readonly (State | Error)[]): Promise<string[]> {
  const seen: string[] = [];
  let at = 0;
  const read = async () => {
    const state = states[at];
    at += 1;
    if (typeof state !== 'string') throw state ?? new Error('It was read after its end.');
    return statusOf(state);
  };
  await watchRun(read, {
    onStatus: ({ state }, isNews) => void seen.push(isNews ? state : `(${state})`),
    onMissing: () => void seen.push('no run'),
    intervalMs: 0,
    leaving: new AbortController().signal,
  });
  return seen;
}

function statusOf(state: State): RunStatus {
  return {
    run: 'cupid-1a2b3c4d',
    kind: 'synthesis',
    engine: 'embedded Temporal server',
    state,
    work: { unit: 'personas' },
    batches: [],
    models: [],
    workers: [],
  };
}
