import { openJournal } from '../../../data/run/journal';
import { createFolderStore } from '../../../data/store/store';
import { CallGate } from '../../../activities/call-gate';
import { RunEvents } from '../../../activities/run-events';
import { createKnowledge } from '../../../models/adapting-model';
import { ModelError } from '../../../models/errors/error';
import { openWorld } from '../../../workers/world';

test('a model that the user has not consented to is not asked, whatever a folder has scheduled', async () => {
  const store = createFolderStore('/nowhere');
  const prompts = { source: 'built-in', hash: '', prompts: {} };
  const world = openWorld({
    run: { id: 'cupid-1a2b3c4d', store, journal: openJournal(store), settings: { seed: 1 }, prompts },
    mayAsk: new Set(['simulated:default']),
    gate: new CallGate(new RunEvents()),
    capacity: () => 1,
    guardsOf: () => [],
    ledger: { estimate: () => ({ input: 0, output: 0 }), sent: unused },
    knowledge: () => createKnowledge(),
    tiers: () => ({}),
    environment: {},
    emit: () => undefined,
  });

  await expect(world.model('module:/tmp/theirs.mjs')).rejects.toThrow(ModelError);
  await expect(world.model('module:/tmp/theirs.mjs')).rejects.toThrow(/module:\/tmp\/theirs\.mjs .*--trust/);
  expect(await world.model('simulated:default')).toBeDefined();
});

function unused(): Promise<never> {
  return Promise.reject(new Error('not called'));
}
