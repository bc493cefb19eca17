import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { writePlan } from '../../../../data/run/inputs';
import { hashFile } from '../../../../data/store/files';
import { createFolderStore } from '../../../../data/store/store';
import { buildReport } from '../../../../pages/report/report';
import { planRun, readRunRequest } from '../../../../runs/plan/inputs';
import { synthesisSettingsSchema } from '../../../../schemas/run/settings';
import { createTemporaryFolder } from '../../../temporary-folder';
import { buildVerificationResults } from '../../verification-results';

const run = createTemporaryFolder();

test('a verification is marked as soon as the run is not in the state that was verified', async () => {
  const models = {
    synthesis: 'simulated:default',
    user: 'simulated:default',
    assistant: 'simulated:default',
  };
  const settings = synthesisSettingsSchema.parse({ nPersonas: 1, models });
  const plan = await planRun(await readRunRequest(settings, {}));
  await writePlan(createFolderStore(join(run, '.cupid')), plan);
  for (const name of ['CUPID-Unverified', 'verification']) mkdirSync(join(run, name));
  const data = join(run, 'CUPID-Unverified', 'test.parquet');
  const report = async (state: string, rows: string) => {
    const host = { codeVersion: '0', engine: 'embedded', state, simulated: true };
    const file = { format: 1, kind: 'synthesis', ...plan.inputs, ...host };
    writeFileSync(join(run, 'run.json'), JSON.stringify(file));
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
});
