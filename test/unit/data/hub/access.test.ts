import { homedir } from 'node:os';
import { join } from 'node:path';
import { readHubAccess } from '../../../../data/hub/access';

const PATHS = ['HF_HOME', 'HF_HUB_CACHE', 'HUGGINGFACE_HUB_CACHE', 'HF_TOKEN_PATH', 'XDG_CACHE_HOME'];

test.each(['', '  '])('a variable that names a path and is empty (%j) counts as unset', async (empty) => {
  const environment = {
    HF_TOKEN: 'hf_ofTheTests',
    ...Object.fromEntries(PATHS.map((name) => [name, empty])),
  };
  expect(await readHubAccess(environment)).toMatchObject({
    cache: join(homedir(), '.cache', 'huggingface', 'hub'),
    token: { from: 'HF_TOKEN' },
  });
});

test.each<[string, string]>([
  ['HF_HUB_CACHE', '/somewhere'],
  ['HUGGINGFACE_HUB_CACHE', '/somewhere'],
  ['HF_HOME', '/somewhere/hub'],
  ['XDG_CACHE_HOME', '/somewhere/huggingface/hub'],
])('%s says where the cache is', async (name, cache) => {
  expect(await readHubAccess({ HF_TOKEN: 'hf_ofTheTests', [name]: '/somewhere' })).toMatchObject({ cache });
});
