import { buildWorkId } from '../../../../engine/journal/key';
import { listRecordedCalls, parseWork, getWorkflow } from '../../../../engine/journal/work';
import { runInputsSchema } from '../../../../schemas/run/run';

const RUN = 'cupid-1a2b3c4d';

const inputs = runInputsSchema.parse({
  id: RUN,
  settings: {
    describeBatch: 3,
    models: { synthesis: 'simulated:default', user: 'simulated:default', assistant: 'simulated:default' },
    steps: { describe: { maxRepairs: 1, maxSamples: 1 } },
  },
  seeds: { origin: 'built-in', source: 'built-in', count: 1, hash: '' },
  prompts: { source: 'built-in', hash: '' },
  growth: [20],
  restarts: [{ persona: 17, step: 'describe', turn: 0, revision: 1 }],
});

test.each([
  ['17', { persona: 17 }],
  ['p17', { persona: 17 }],
  ['17/s3', { persona: 17, session: 3 }],
  ['p17/s3', { persona: 17, session: 3 }],
  [`${RUN}/p17/s3`, { persona: 17, session: 3 }],
  [RUN, {}],
  ['cupid-other/p17', undefined],
  ['seventeen', undefined],
])('%s names work as the commands print it', (name, work) => {
  expect(parseWork(RUN, name)).toEqual(work);
});

test('a dialogue is done by the workflow of its persona', () => {
  const work = parseWork(RUN, '17/s3') ?? {};
  expect(buildWorkId(RUN, work)).toBe(`${RUN}/p17/s3`);
  expect(getWorkflow(RUN, work)).toEqual({ id: `${RUN}/p17`, type: 'persona' });
});

test("a dialogue's recording takes its own calls, its persona's plan, and every description its persona may have", () => {
  const { workflowIds, keys } = listRecordedCalls(inputs, { persona: 17, session: 3 });
  expect(workflowIds).toEqual([`${RUN}/p17`, `${RUN}/p17/s3`]);
  // In batches of three that begin with 15, 16 or 17; twice asked, in both revisions.
  expect(keys).toHaveLength(3 * 2 * 2);
  expect(keys).toContain(`${RUN}#r0.describe.t15.a1`);
  expect(keys).toContain(`${RUN}#r1.describe.t17.a0`);
});

test('descriptions that were given to the run are in no journal', () => {
  const given = { ...inputs, seeds: { ...inputs.seeds, origin: 'personas' as const } };
  expect(listRecordedCalls(given, { persona: 17 }).keys).toEqual([]);
});
