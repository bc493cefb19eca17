import {
  openEvaluation,
  writeDataState,
  writeEvaluationPlan,
  writeInstances,
  type StoredInstance,
} from '../../../../data/run/evaluation-plan';
import { createFolderStore, type Store } from '../../../../data/store/store';
import { evaluationSettingsSchema, type EvaluatedData } from '../../../../schemas/evaluation/evaluation-run';
import { buildSmallInstances } from '../../../engine/workflows/evaluation/evaluation-model';
import { createEmptiedFolder } from '../../../temporary-folder';

const FIRST = { argument: 'd', source: 'd', files: [], sha256: 'first', instances: 101 };
/** More than one file of stored instances. */
const INSTANCES = buildSmallInstances(35);

const folder = createEmptiedFolder();
let store: Store;
beforeEach(async () => {
  store = createFolderStore(folder);
  await writeInstances(store, stored(0, 101));
  await writePlan(FIRST);
});

test('a state of the data counts only once the plan names it, and may be written again until then', async () => {
  await addState(104);
  const before = await openEvaluation(store);
  expect(before.index).toHaveLength(101);
  expect(await before.states()).toHaveLength(1);
  expect((await before.instance(101)).instance).toEqual(INSTANCES[100]);

  await addState(102);
  await writePlan({ ...FIRST, sha256: 'second', earlier: [FIRST] });
  const after = await openEvaluation(store);
  // The new row is the first one of the data.
  expect(after.index.map(({ number }) => number).slice(0, 3)).toEqual([102, 1, 2]);
  expect((await after.instance(102)).instance).toEqual(INSTANCES[101]);
  expect((await after.instance(101)).instance).toEqual(INSTANCES[100]);
  expect((await after.persona(102)).map(({ instance }) => instance)).toEqual([
    INSTANCES[101],
    ...INSTANCES.slice(99, 101),
  ]);
  expect((await after.states()).map((rows) => rows.length)).toEqual([101, 102]);
});

/** Writes a state with all instances before this one, the new ones first. */
async function addState(end: number): Promise<void> {
  const rows = INSTANCES.slice(0, end).map((row, at) => ({ ...row, number: at + 1 }));
  const ordered = [...rows.slice(101), ...rows.slice(0, 101)];
  await writeDataState(store, { state: 2, rows: ordered, stored: 101 }, stored(101, end));
}

async function* stored(from: number, end: number): AsyncGenerator<StoredInstance> {
  for (const instance of INSTANCES.slice(from, end)) yield { instance, priorTokens: 10, synthesizer: null };
}

async function writePlan(data: EvaluatedData): Promise<void> {
  await writeEvaluationPlan(store, {
    inputs: {
      kind: 'evaluation',
      id: 'cupid-eval-test',
      data,
      settings: evaluationSettingsSchema.parse({}),
      prompts: { source: 'built-in', hash: 'h' },
      models: [],
      evaluators: [],
      cells: [],
    },
    prompts: { source: 'built-in', hash: 'h', prompts: {} },
  });
}
