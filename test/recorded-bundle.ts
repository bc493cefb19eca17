import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { bundleSchema, recordedHistorySchema, type Bundle } from '../schemas/bundle';
import { inputOf } from '../workers/recorded-events';

/** The recorded histories, which must replay on every later version of the workflows. */
export const HISTORIES = join(__dirname, 'histories');

/** A bundle around a recorded history, without journal entries. */
export function bundleOf(name: string): Bundle {
  const { workflowId, history } = z
    .object({ workflowId: z.string(), history: recordedHistorySchema })
    .parse(JSON.parse(readFileSync(join(HISTORIES, name), 'utf8')));
  const [first] = history.events;
  const { settings } = z.looseObject({ settings: z.unknown() }).parse(first && inputOf(first));
  return bundleSchema.parse({
    format: 1,
    workflow: { id: workflowId, type: name.split('-')[0] },
    simulated: true,
    versions: { program: '0', workflows: '0' },
    inputs: {
      id: workflowId.split('/')[0],
      settings,
      seeds: { origin: 'built-in', source: 'built-in', count: 1, hash: '' },
      prompts: { source: '', hash: '' },
      growth: [1],
    },
    entries: [],
    history,
    lacks: [],
  });
}
