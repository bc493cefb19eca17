import { buildBatches } from '../../../../runs/plan/batches';
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
