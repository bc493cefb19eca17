import { renderInteractionLog } from '../../../../data/prompts/evaluation-values';
import {
  openEvaluation,
  writeDataState,
  writeEvaluationPlan,
  writeInstances,
  type StoredInstance,
} from '../../../../data/run/evaluation-plan';
import { readHistories } from '../../../../data/run/histories';
import { createFolderStore, type Store } from '../../../../data/store/store';
import { readShownRow } from '../../../../rules/method/trial-subject';
import { countTokens } from '../../../../rules/statistics/tokens';
import { keepFillers } from '../../../../runs/evaluate/fillers';
import type { Instance } from '../../../../schemas/dataset/instance';
import { INSTANCE_TYPES } from '../../../../schemas/dataset/instance-type';
import type { Context } from '../../../../schemas/evaluation/context';
import {
  evaluationSettingsSchema,
  type EvaluationInputs,
} from '../../../../schemas/evaluation/evaluation-run';
import { createEmptiedFolder } from '../../../temporary-folder';
import { buildPersona } from '../../rules/history/personas';

/** More than one file of stored instances, and enough sessions for 32k tokens. */
const PERSONAS = Array.from({ length: 60 }, (_, at) => buildPersona(at + 1));
const ROWS = PERSONAS.flat();

const folder = createEmptiedFolder();
let store: Store;
beforeEach(async () => {
  store = createFolderStore(folder);
  await writeInstances(store, stored(ROWS));
});

test('histories are as long as their rows say, nearly the tier and never more, and nested in all three rows', async () => {
  const inputs = buildInputs(['full', 'full@32k', 'memory@32k']);
  await keepFillers(store, inputs, { report: () => undefined });
  await writeEvaluationPlan(store, { inputs, prompts: { source: 'test', hash: '', prompts: {} } });
  const evaluation = await openEvaluation(store);
  const lengths: number[] = [];
  for (const instance of [1, 2, 3, 101, 179, 180]) {
    const row = await readShownRow(evaluation, { instance, context: 'full@32k' });
    const { prior_interactions: sessions } = row.instance;
    expect(row.priorTokens).toBe(countTokens(renderInteractionLog(sessions)));
    lengths.push(row.priorTokens);
    const own = await readShownRow(evaluation, { instance, context: 'full' });
    expect(own.instance).toEqual(ROWS[instance - 1]);
    expect(sessions).toEqual(expect.arrayContaining(own.instance.prior_interactions));
  }
  expect(Math.max(...lengths)).toBeLessThanOrEqual(32_000);
  expect(Math.max(...lengths)).toBeGreaterThan(31_800);
});

test('only personas with an evaluated row have fillers', async () => {
  await keepFillers(store, buildInputs(['full@32k'], 4), { report: () => undefined });
  expect((await readHistories(store)).map(({ rows }) => rows)).toEqual([
    [1, 2, 3],
    [4, 5, 6],
  ]);
});

test('the fillers of a persona stay as the data grow', async () => {
  const inputs = buildInputs(['full@32k']);
  await keepFillers(store, inputs, { report: () => undefined });
  const before = await readHistories(store);
  const added = buildPersona(100);
  const rows = [...added, ...ROWS].map((row, at) => ({
    ...row,
    number: at < 3 ? ROWS.length + at + 1 : at - 2,
  }));
  await writeDataState(store, { state: 2, rows, stored: ROWS.length }, stored(added));
  const data = { ...inputs.data, earlier: [inputs.data] };
  await keepFillers(store, { ...inputs, data }, { report: () => undefined });
  const after = await readHistories(store);
  expect(after.slice(0, before.length)).toEqual(before);
  expect(after.slice(before.length).map(({ rows: numbers }) => numbers)).toEqual([[181, 182, 183]]);
});

test('data that are too small for a tier say how many tokens they give, and what was left out', async () => {
  await expect(keepFillers(store, buildInputs(['full@128k']), { report: () => undefined })).rejects.toThrow(
    /^--history 128k: data has too few sessions of other personas. They suffice for \d\d,\d{3} tokens\.\nName a shorter history/,
  );
});

function buildInputs(contexts: readonly Context[], limit: number | null = null): EvaluationInputs {
  return {
    kind: 'evaluation',
    id: 'cupid-eval-test',
    data: { argument: 'data', source: 'data', files: [], sha256: '', instances: ROWS.length },
    settings: evaluationSettingsSchema.parse({}),
    prompts: { source: 'test', hash: '' },
    models: ['simulated:default'],
    evaluators: [],
    cells: contexts.map((context) => ({
      task: 'choice',
      model: 'simulated:default',
      context,
      selection: { limit, types: [...INSTANCE_TYPES] },
    })),
  };
}

async function* stored(instances: readonly Instance[]): AsyncGenerator<StoredInstance> {
  for (const instance of instances) {
    const priorTokens = countTokens(renderInteractionLog(instance.prior_interactions));
    yield { instance, priorTokens, synthesizer: null };
  }
}
