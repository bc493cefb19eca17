import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { runSynth } from '../../../../cli/synth/synth';
import { writePlan } from '../../../../data/run/inputs';
import { createFolderStore } from '../../../../data/store/store';
import { planRun, readRunRequest } from '../../../../runs/synthesize/inputs';
import { synthesisSettingsSchema } from '../../../../schemas/run/settings';
import { LOCATION, serveObjects } from '../../../stand-in/stored-run';
import { createTemporaryFolder } from '../../../temporary-folder';

const folder = createTemporaryFolder();

afterEach(() => jest.restoreAllMocks());

test('a store that contains a run with other settings is named, not the folder that does not exist', async () => {
  const objects = createFolderStore(join(folder, 'objects'));
  const models = { synthesis: MODEL, user: MODEL, assistant: MODEL };
  const settings = synthesisSettingsSchema.parse({ nPersonas: 1, seed: 42, models });
  await writePlan(objects, await planRun(await readRunRequest(settings, {})));
  await using _server = await serveObjects(objects);
  const outputDir = join(folder, 'out');
  await expect(runSynth({ ...OPTIONS, outputDir, store: LOCATION })).rejects.toThrow(
    /^s3:\/\/bucket\/run contains a run with other settings:\n[^]*or name another --output-dir and --store\.$/,
  );
  expect(existsSync(outputDir)).toBe(false);
});

const MODEL = 'simulated:default';

const OPTIONS = {
  model: MODEL,
  concurrency: 1,
  check: true,
  nPersonas: 1,
  nFactors: 8,
  nSessions: 13,
  maxTurns: 16,
  seed: 7,
};
