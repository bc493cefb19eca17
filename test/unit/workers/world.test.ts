import { openJournal } from '../../../data/run/journal';
import { createFolderStore } from '../../../data/store/store';
import { ModelError } from '../../../models/errors/error';
import { openIdleWorld } from './idle-world';

test('a model that the user has not consented to is not asked, whatever a folder has scheduled', async () => {
  const store = createFolderStore('/nowhere');
  const prompts = { source: 'built-in', hash: '', prompts: {} };
  const run = { id: 'cupid-1a2b3c4d', store, journal: openJournal(store), settings: { seed: 1 }, prompts };
  const world = openIdleWorld(run, new Set(['simulated:default']));

  await expect(world.model('module:/tmp/theirs.mjs')).rejects.toThrow(ModelError);
  await expect(world.model('module:/tmp/theirs.mjs')).rejects.toThrow(/module:\/tmp\/theirs\.mjs .*--trust/);
  expect(await world.model('simulated:default')).toBeDefined();
});
