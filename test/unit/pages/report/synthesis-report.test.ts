import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { writeFailedPersona } from '../../../../data/run/artifacts';
import { writePlan, type RunPlan } from '../../../../data/run/inputs';
import { hashFile } from '../../../../data/store/files';
import { createFolderStore } from '../../../../data/store/store';
import { EVALUATION_COLUMNS } from '../../../../data/tables/columns';
import { writeParquet } from '../../../../data/tables/parquet';
import { buildReport } from '../../../../pages/report/report';
import { planRun, readRunRequest } from '../../../../runs/synthesize/inputs';
import { FOLDER_FORMAT } from '../../../../schemas/run/folder-format';
import { synthesisSettingsSchema } from '../../../../schemas/run/settings';
import { createTemporaryFolder } from '../../../temporary-folder';
import { buildVerificationResults } from '../../verification-results';
import { buildResults, buildRows } from '../../runs/tables/results';
import { listTableRows } from '../../../page-tables';

const run = createTemporaryFolder();
const data = join(run, 'CUPID-Unverified', 'test.parquet');
let plan: RunPlan;

beforeAll(async () => {
  const models = {
    synthesis: 'simulated:default',
    user: 'simulated:default',
    assistant: 'simulated:default',
  };
  const settings = synthesisSettingsSchema.parse({ nPersonas: 1, models });
  plan = await planRun(await readRunRequest(settings, {}));
  await writePlan(createFolderStore(join(run, '.cupid')), plan);
  mkdirSync(join(run, 'CUPID-Unverified'));
  writeRunState('finished');
});

function writeRunState(state: string): void {
  const host = { codeVersion: '0', engine: 'embedded', state, simulated: true };
  const file = { format: FOLDER_FORMAT, kind: 'synthesis', ...plan.inputs, ...host };
  writeFileSync(join(run, 'run.json'), JSON.stringify(file));
}

test('a verification is marked as soon as the run is not in the state that was verified', async () => {
  mkdirSync(join(run, 'verification'));
  const report = async (state: string, rows: string) => {
    writeRunState(state);
    writeFileSync(data, rows);
    return buildReport([run]);
  };
  writeFileSync(data, 'verified');
  const results = buildVerificationResults((await hashFile(data)).sha256);
  writeFileSync(join(run, 'verification', 'verification.json'), JSON.stringify(results));

  const current = await report('finished', 'verified');
  expect(current).toContain('Verification by a model');
  expect(current).not.toContain('Earlier data.');
  expect(await report('finished', 'after a retry')).toContain('Earlier data.');
  expect(await report('running', 'verified')).toContain('Earlier data.');

  // Results say which file they are of; only a run that the user names is compared with it.
  const evaluation = join(run, 'results');
  mkdirSync(evaluation);
  await writeParquet(join(evaluation, 'results.parquet'), EVALUATION_COLUMNS, []);
  const together = async (sha256: string) => {
    const stored = buildResults(buildRows());
    const earlier = { ...stored, data: { ...stored.data, source: data, sha256 } };
    writeFileSync(join(evaluation, 'results.json'), JSON.stringify(earlier));
    return buildReport([evaluation, run]);
  };
  await report('finished', 'verified');
  const EARLIER = 'These results are of an earlier state of the data of Synthesis run';
  expect(await together(results.data.sha256)).not.toContain(EARLIER);
  expect(await together('ab'.repeat(32))).toContain(EARLIER);
});

test('failed personas are named, with the reason', async () => {
  const store = createFolderStore(join(run, '.cupid'));
  await writeFailedPersona(store, 1, [
    {
      workflowId: 'w',
      persona: 1,
      session: 3,
      step: 'user',
      kind: 'bad-answers',
      cause: 'No usable answer in 5 attempts.',
      reasons: [],
    },
  ]);
  const page = await buildReport([run]);
  expect(listTableRows(page)).toContainEqual([
    '1',
    '3',
    'user',
    'bad-answers',
    'No usable answer in 5 attempts.',
  ]);
  expect(page).toContain(`cupid retry ${run}`);
});
