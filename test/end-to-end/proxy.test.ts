import { join } from 'node:path';
import { NOBODY } from '../stand-in/nobody';
import { createTemporaryFolder } from '../temporary-folder';
import { runLoaded } from './loaded-command';

const folder = createTemporaryFolder();

test('the embedded server is reached directly, whatever proxy the environment names', async () => {
  const proxy = `http://${NOBODY}`;
  const { code, stderr } = await runLoaded(
    [
      'synth',
      '--output-dir',
      join(folder, 'run'),
      '--model=simulated:default',
      '--n-personas=1',
      '--max-turns=2',
    ],
    { https_proxy: proxy, http_proxy: proxy, grpc_proxy: proxy, NO_PROXY: 'localhost' },
  );
  expect(stderr).not.toMatch(/proxy/i);
  expect(code).toBe(0);
});
