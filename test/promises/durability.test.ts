import { expectSurvival } from '../end-to-end/survival';
import { setUpUndisturbedRun } from '../end-to-end/undisturbed';
import { startStandIn } from '../stand-in/chat-server';

/** Some answers are unusable, so that repairs are interrupted too. */
const SIMULATED = { malformed: '0.03', empty: '0.02' };

const beside = setUpUndisturbedRun(1, { simulated: SIMULATED });

test('a run whose command and server are killed ends with the same bytes and makes no answered call again', async () => {
  await using standIn = await startStandIn({ latency: 200, simulated: SIMULATED });
  await expectSurvival(beside.killable('killed', standIn), [['command', 'server', 'both'], 1]);
});
