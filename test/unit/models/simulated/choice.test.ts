import { EMPTY_LOG, renderOptions } from '../../../../data/prompts/evaluation-values';
import { SIMULATED_MODELS } from '../../../../models/simulated/options';
import { openSimulatedModel } from '../../../../models/simulated/model';
import { checkChoice } from '../../../../rules/answers/evaluation/choice';
import { findRightOption, listOptions } from '../../../../rules/choice/options';
import { groupBy } from '../../../../rules/group-by';
import { DEFAULT_SEED } from '../../../../schemas/run/settings';
import type { Instance } from '../../../../schemas/dataset/instance';
import { synthesizeShortInstances } from './evaluation';
import { askFor, openSimulated, requestOf } from './persona';

const PERSONAS = 200;

let personas: Map<string, Instance[]>;

beforeAll(async () => {
  const instances = await synthesizeShortInstances(openSimulated(), PERSONAS);
  personas = groupBy(instances, ({ persona_id }) => persona_id);
});

const READERS = [
  ...Object.keys(SIMULATED_MODELS).map((model) => [model, {}] as const),
  ...['none', 'first', 'last', 'all'].map((reads) => ['default', { reads }] as const),
];

test.each(READERS)(
  'simulated:%s with %j and no history is right in one row of a pair at most',
  async (model, options) => {
    const reader = openSimulatedModel({ provider: 'simulated', model, options });
    let rightRows = 0;
    let rightPairs = 0;
    for (const rows of personas.values()) {
      const choices = listOptions(rows, DEFAULT_SEED);
      const texts = choices.map(({ preference }) => preference);
      const right = [];
      for (const [at, row] of rows.entries()) {
        if (row.instance_type === 'contrastive') continue;
        const values = {
          curr_request: row.current_request,
          interaction_log: EMPTY_LOG,
          options: renderOptions(texts),
        };
        // Each row has a seed of its own, as in an evaluation.
        const request = { ...requestOf('choose', values), temperature: 0, seed: at };
        const chosen = await askFor(reader, request, (text) => checkChoice(text, texts));
        right.push(chosen === findRightOption(choices, row));
      }
      expect(right).toHaveLength(2);
      rightRows += right.filter(Boolean).length;
      rightPairs += right.every(Boolean) ? 1 : 0;
    }
    expect(personas.size).toBe(PERSONAS);
    expect(rightPairs).toBe(0);
    // It guesses: one of four options.
    expect(Math.abs(rightRows / (2 * PERSONAS) - 1 / 4)).toBeLessThan(0.08);
  },
);
