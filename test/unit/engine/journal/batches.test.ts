import { buildBatches, listDescribedWith } from '../../../../engine/journal/batches';
import { synthesisSettingsSchema } from '../../../../schemas/run/settings';

const models = { synthesis: 'openai:s', user: 'openai:s', assistant: 'openai:s' };

test.each([
  [[4], 1],
  [[5, 9], 2 + 1],
  [[250, 1000], 63 + 188],
])(
  'personas are described in batches that never reach over a number the run has grown at: %j',
  (growth, count) => {
    const settings = synthesisSettingsSchema.parse({ models, nPersonas: growth.at(-1), describeBatch: 4 });
    expect(buildBatches({ settings, growth, restarts: [] })).toHaveLength(count);
  },
);

test.each([
  [1, [1, 2, 3, 4]],
  [5, [5]],
  [6, [6, 7, 8, 9]],
  [7, [7]],
])('persona %i is described together with %j', (persona, together) => {
  const settings = synthesisSettingsSchema.parse({ models, nPersonas: 9, describeBatch: 4 });
  const restarts = [{ persona: 7, step: 'describe', turn: 0, revision: 1 }] as const;
  expect(listDescribedWith({ settings, growth: [5, 9], restarts: [...restarts] }, persona)).toEqual(together);
});
