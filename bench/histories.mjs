/**
 * Measures extended histories: processor time and memory of drawing their sessions, and of preparing the history of one call. The rows are those of
 * simulated personas, repeated under new names.
 *
 *   npm run build && node bench/histories.mjs [--rows N] [--tier 32k|128k|1M] [--calls N] [--personas N]
 *
 * --rows      instances of the data set (default: 12000)
 * --tier      length of the histories (default: 128k)
 * --calls     histories that are built, of the first rows (default: 300)
 * --personas  of which the instances are repeated (default: 40)
 */
import { join } from 'node:path';
import { repeatInstances } from './shared/instances.mjs';
import { loadTypeScript } from './shared/load-typescript.mjs';
import { readOptions } from './shared/options.mjs';
import { describeMachine, makeFolder } from './shared/processes.mjs';
import { printTable } from './shared/table.mjs';

const { rows, tier, calls, personas } = readOptions({ rows: 12_000, tier: '128k', calls: 300, personas: 40 });
const title = `Histories of ${tier}. ${describeMachine()}`;
const plan = loadTypeScript('data/run/evaluation-plan.ts');
const { createFolderStore } = loadTypeScript('data/store/store.ts');
const { renderInteractionLog } = loadTypeScript('data/prompts/evaluation-values.ts');
const { keepFillers } = loadTypeScript('runs/evaluate/fillers.ts');
const { readShownRow } = loadTypeScript('rules/method/trial-subject.ts');
const { createTokenCounter } = loadTypeScript('rules/statistics/tokens.ts');
const { evaluationSettingsSchema } = loadTypeScript('schemas/evaluation/evaluation-run.ts');

const instances = await repeatInstances(personas);
const store = createFolderStore(join(makeFolder(), 'store'));
const countTokens = createTokenCounter();
await plan.writeInstances(
  store,
  (async function* () {
    for (const instance of instances(rows)) {
      const priorTokens = countTokens(renderInteractionLog(instance.prior_interactions));
      yield { instance, priorTokens, synthesizer: null };
    }
  })(),
);
const inputs = {
  kind: 'evaluation',
  id: 'bench',
  data: { argument: 'data', source: 'data', files: [], sha256: '', instances: rows },
  settings: evaluationSettingsSchema.parse({}),
  prompts: { source: 'bench', hash: '' },
  models: ['simulated:default'],
  evaluators: [],
  cells: [
    {
      task: 'choice',
      model: 'simulated:default',
      context: `full@${tier}`,
      selection: { limit: tier === '1M' ? calls : null, types: ['consistent', 'contrastive', 'changing'] },
    },
  ],
};

const table = [];
const measure = async (part, times, action) => {
  const start = process.cpuUsage();
  await action();
  const { user, system } = process.cpuUsage(start);
  table.push({
    part,
    'processor ms each': ((user + system) / 1000 / times).toFixed(1),
    'peak MB so far': (process.resourceUsage().maxRSS / 1024).toFixed(0),
  });
};
await measure(`draw, a row of ${tier === '1M' ? calls : rows}`, tier === '1M' ? calls : rows, () =>
  keepFillers(store, inputs, { report: () => undefined }),
);
await plan.writeEvaluationPlan(store, { inputs, prompts: { source: 'bench', hash: '', prompts: {} } });
const evaluation = await plan.openEvaluation(store);
for (const context of ['full', `full@${tier}`]) {
  let characters = 0;
  await measure(`build a history, ${context}`, calls, async () => {
    for (const { number } of evaluation.index.slice(0, calls)) {
      const { instance } = await readShownRow(evaluation, { instance: number, context });
      characters += renderInteractionLog(instance.prior_interactions).length;
    }
  });
  table.at(-1).characters = Math.round(characters / calls);
}
printTable(title, table);
