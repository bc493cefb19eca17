import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { parseWork } from '../engine/journal/work';
import { bundleSchema, recordedHistorySchema, type Bundle } from '../schemas/run/bundle';
import { getInput } from '../workers/replay/recorded-events';

/** The recorded histories, which must replay on every later version of the workflows. */
export const HISTORIES = join(__dirname, 'histories');

/**
 * A bundle around a recorded history, without journal entries.
 * @param session of a persona's, whose dialogue the bundle is of
 */
export function buildRecordedBundle(name: string, session?: number): Bundle {
  const { workflowId, history } = z
    .object({ workflowId: z.string(), history: recordedHistorySchema })
    .parse(JSON.parse(withSettingsOfToday(readFileSync(join(HISTORIES, name), 'utf8'))));
  const [first] = history.events;
  const { settings } = z.looseObject({ settings: z.unknown() }).parse(first && getInput(first));
  return bundleSchema.parse({
    format: 2,
    work: { ...parseWork(runOf(workflowId), workflowId), ...(session === undefined ? {} : { session }) },
    simulated: true,
    versions: { program: '0', workflows: '0' },
    inputs: {
      id: runOf(workflowId),
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

/** `requireSatisfied` was a boolean when these histories were recorded. No workflow reads it, so they replay with either. */
function withSettingsOfToday(history: string): string {
  return history.replaceAll(/(?<="data": ?")[\w+/=]+/g, (payload) => {
    const text = Buffer.from(payload, 'base64').toString('utf8');
    const today = text.replaceAll('"requireSatisfied":false', '"requireSatisfied":"none"');
    return today === text ? payload : Buffer.from(today, 'utf8').toString('base64');
  });
}

function runOf(workflowId: string): string {
  return workflowId.split('/')[0] ?? '';
}
