import { startStandIn } from '../stand-in/chat-server';
import { readJournalSnapshot } from './journal';
import { expectSurvival } from './survival';
import { setUpUndisturbedRun } from './undisturbed';

const SIMULATED = { malformed: '0.05' };

const beside = setUpUndisturbedRun(1, { simulated: SIMULATED }, 27);

test('a journey in parts ends with the same bytes and makes no answered call again, when it is killed while its parts are planned', async () => {
  await using standIn = await startStandIn({ latency: 400, simulated: SIMULATED });
  const work = beside.killable('killed', standIn);
  await expectSurvival(work, [['command', 'both', 'database'], 1]);
  const keys = [...(await readJournalSnapshot(work.folder)).keys()];
  for (const part of [1, 2, 3]) expect(keys.join(' ')).toContain(`/p1#r0.journey.t${part}.a0`);
});
