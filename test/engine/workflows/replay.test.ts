import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { historyFromJSON } from '@temporalio/common/lib/proto-utils';
import { Worker } from '@temporalio/worker';
import { z } from 'zod';

const HISTORIES = join(__dirname, '..', '..', 'histories');
const BUNDLE = join(__dirname, '..', '..', '..', 'dist', 'workers', 'workflows.bundle.js');
const recorded = readdirSync(HISTORIES).filter((file) => file.endsWith('.json'));

const recordedSchema = z.object({ workflowId: z.string(), history: z.unknown() });

const read = (file: string): string => readFileSync(join(HISTORIES, file), 'utf8');

async function replay(text: string): Promise<void> {
  const { workflowId, history } = recordedSchema.parse(JSON.parse(text));
  const sinks = { transcript: { tell: { fn: () => undefined } } };
  const worker = { workflowBundle: { codePath: BUNDLE }, sinks };
  await Worker.runReplayHistory(worker, historyFromJSON(history), workflowId);
}

test('every workflow has a recorded history', () => {
  expect(recorded.map((file) => file.split('-')[0])).toEqual(
    expect.arrayContaining([
      'control',
      'dialogue',
      'evaluation',
      'limits',
      'persona',
      'run',
      'study',
      'trial',
    ]),
  );
});

test.each(recorded)('%s, recorded from a real run, still replays', async (file) => {
  await replay(read(file));
});

test('a history whose order of steps was changed does not replay', async () => {
  const swapped = read('dialogue-satisfied.json')
    .replaceAll('"assistantTurn"', '"held"')
    .replaceAll('"userTurn"', '"assistantTurn"')
    .replaceAll('"held"', '"userTurn"');
  await expect(replay(swapped)).rejects.toThrow(/[Nn]ondeterminism/);
});
