import { join } from 'node:path';
import { startStandIn } from '../stand-in/chat-server';
import { changeCode } from './changed-code';
import { untilJournalHas } from './journal';
import { readRunFile } from './outputs';
import { untilGone, untilServerOf, kill } from './processes';
import { expectSurvival } from './survival';
import { setUpUndisturbedRun } from './undisturbed';

/** Some answers are unusable, so that asking again, with the reason, is interrupted too. */
const SIMULATED = { malformed: '0.03', empty: '0.02' };

const beside = setUpUndisturbedRun(2, { simulated: SIMULATED });

test('a run ends with the same bytes and makes no answered call again, wherever kills fall, when its database is deleted, and with other workflow code', async () => {
  // So slow that few calls are answered while a kill is waited for.
  await using standIn = await startStandIn({ latency: 400, simulated: SIMULATED });
  let command: string | undefined;
  const work = beside.killable('killed', standIn, () => command);
  await expectSurvival(
    work,
    [['command', 'command', 'server', 'both', 'database'], 2],
    async (running) => {
      // In the middle of dialogues: the changed code cannot replay the open workflows.
      await untilJournalHas(work.folder, (beside.calls * 2) / 3, running);
      const server = await untilServerOf(work.folder, running);
      await kill(running);
      await untilGone(server);
      const versionBefore = readRunFile(work.folder).codeVersion;
      command = changeCode(join(beside.folder, 'program'));
      standIn.latency = 0;
      const ended = await work.start().ended;
      expect(readRunFile(work.folder).codeVersion).not.toBe(versionBefore);
      return ended;
    },
    1,
  );
});
