import type { CardFacts } from '../../../../data/card/render';
import { synthesisSettingsSchema } from '../../../../schemas/run/settings';

export type CardChanges = Partial<CardFacts>;

/** Builds the facts of a card: the paper's size, by models of which one has an address of its own. */
export function buildCardFacts(changes: CardChanges = {}): CardFacts {
  return {
    dataSet: 'CUPID-Unverified',
    files: { path: 'test.parquet', rows: 756, bytes: 123_456, memoryBytes: 654_321 },
    simulated: false,
    canary: '0f1e2d3c-4b5a-8697-8877-665544332211',
    settings: synthesisSettingsSchema.parse({
      seed: 7,
      nPersonas: 252,
      models: {
        synthesis: 'openai:gpt-4o-2024-11-20',
        user: 'openai:gpt-4o-2024-11-20',
        assistant: 'openai-compatible:llama-small@http://inside.example:8000/v1',
      },
    }),
    failedPersonas: 2,
    otherModels: [],
    answeredBy: ['gpt-4o-2024-11-20', 'llama'],
    seeds: { origin: 'built-in', count: 1380 },
    prompts: { source: 'built-in', hash: 'f00d' },
    codeVersions: ['0.1.0'],
    parameters: {
      user: { temperature: 0.3, seed: true, tokenLimit: 8192 },
      assistant: { reasoningEffort: 'low', seed: false, tokenLimit: 8192 },
    },
    statistics: { personas: 252, instances: 756, preferences: 0, dialogues: 0, tokenizer: 'o200k_base' },
    figures: { relevantPositions: {} },
    ...changes,
  };
}
