import { MockActivityEnvironment } from '@temporalio/testing';
import { buildEvaluationActivities } from '../../../../activities';
import { CallGate } from '../../../../activities/call-gate';
import { RunEvents } from '../../../../activities/run-events';
import { writeEvaluationPlan, writeInstances } from '../../../../data/run/evaluation-plan';
import { createFolderStore } from '../../../../data/store/store';
import { createKnowledge } from '../../../../models/adapting-model';
import { evaluationSettingsSchema } from '../../../../schemas/evaluation/evaluation-run';
import { openWorld, readEvaluationFiles } from '../../../../workers/world';
import { buildSmallInstances } from '../../../engine/workflows/evaluation/evaluation-model';
import { createTemporaryFolder } from '../../../temporary-folder';

const folder = createTemporaryFolder();
const DATA = { given: 'd', source: 'd', files: [], sha256: 'd', instances: 3 };

test('a process leaves work on data that have changed since it read them to others', async () => {
  const store = createFolderStore(folder);
  await writeInstances(store, stored());
  await writeEvaluationPlan(store, {
    inputs: {
      kind: 'evaluation',
      id: 'cupid-eval-test',
      data: DATA,
      settings: evaluationSettingsSchema.parse({}),
      prompts: { source: 'built-in', hash: 'h' },
      models: [],
      evaluators: [],
      cells: [],
    },
    prompts: { source: 'built-in', hash: 'h', prompts: {} },
  });
  const { keeping } = buildEvaluationActivities(
    openWorld({
      run: await readEvaluationFiles(store),
      mayAsk: new Set(),
      gate: new CallGate(new RunEvents()),
      capacity: () => 1,
      guardsOf: () => [],
      ledger: { estimate: () => ({ input: 0, output: 0 }), sent: unused },
      knowledge: () => createKnowledge(),
      tiers: () => ({}),
      environment: {},
      emit: () => undefined,
    }),
  );
  const find = (dataState?: number) =>
    new MockActivityEnvironment().run(keeping.findTrials, {
      run: 'cupid-eval-test',
      from: 0,
      cells: [],
      onlyStored: false,
      ...(dataState !== undefined && { dataState }),
    });
  expect(await find()).toEqual({ work: [], passed: 0, total: 0 });
  await expect(find(2)).rejects.toMatchObject({ type: 'outdated-plan', nonRetryable: false });
});

async function* stored() {
  for (const instance of buildSmallInstances(1)) yield { instance, priorTokens: 10, synthesizer: null };
}

function unused(): Promise<never> {
  throw new Error('No call is made.');
}
