import { leaveOutUnreadable } from '../../../../runs/evaluate/windows';
import type { Context } from '../../../../schemas/evaluation/context';
import { evaluationSettingsSchema } from '../../../../schemas/evaluation/evaluation-run';

test('a summary that one answer cannot hold is left out, unless its limit is raised', async () => {
  const contexts: Context[] = ['full@128k', 'summary', 'summary@32k', 'summary@128k'];
  const { kept, leftOut } = await leaveOut(contexts);
  expect(kept).toEqual(contexts.slice(0, 3));
  expect(leftOut).toEqual([
    'Left out: context summary@128k of simulated:default, because one answer summarizes all sessions, and needs about 20,870 tokens of 8,192. If the model can write more, set steps.summarize.maxTokens in a file for --settings.',
  ]);
  expect((await leaveOut(contexts, 32_000)).kept).toEqual(contexts);
  await expect(leaveOut(['summary@1M'])).rejects.toThrow('Nothing is left to evaluate.');
});

async function leaveOut(contexts: readonly Context[], maxTokens?: number) {
  const { target, leftOut } = await leaveOutUnreadable(
    {
      settings: evaluationSettingsSchema.parse(
        maxTokens === undefined ? {} : { steps: { summarize: { maxTokens } } },
      ),
      cells: contexts.map((context) => ({
        task: 'choice',
        model: 'simulated:default',
        context,
        selection: { limit: null, types: ['consistent', 'contrastive', 'changing'] },
      })),
      studies: {},
      prompts: { source: 'test', hash: '', prompts: {} },
    },
    undefined,
  );
  return { kept: target.cells.map(({ context }) => context), leftOut };
}
