import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { historyFromJSON } from '@temporalio/common/lib/proto-utils';
import { Worker } from '@temporalio/worker';
import * as z from 'zod';

const HISTORIES = join(__dirname, '..', '..', 'histories');
const BUNDLE = join(__dirname, '..', '..', '..', 'dist', 'workers', 'workflows.bundle.js');
const recorded = readdirSync(HISTORIES).filter((file) => file.endsWith('.json'));

const recordedSchema = z.object({ workflowId: z.string(), history: z.unknown() });

/** Fields that identify the kind of a recording: how its execution ended, and its input. */
const eventsSchema = z.object({
  history: z.object({
    events: z.array(
      z.object({
        eventType: z.string(),
        workflowExecutionStartedEventAttributes: z
          .object({ input: z.object({ payloads: z.array(z.object({ data: z.base64() })) }) })
          .optional(),
      }),
    ),
  }),
});

const read = (file: string): string => readFileSync(join(HISTORIES, file), 'utf8');

async function replay(text: string): Promise<void> {
  const { workflowId, history } = recordedSchema.parse(JSON.parse(text));
  const worker = { workflowBundle: { codePath: BUNDLE } };
  await Worker.runReplayHistory(worker, historyFromJSON(history), workflowId);
}

test('every workflow has a recorded history', () => {
  expect(recorded.map((file) => file.split('-')[0])).toEqual(
    expect.arrayContaining(['batches', 'control', 'evaluation', 'persona', 'run']),
  );
});

test('the recordings include failures, a run that continued as new and retried work', () => {
  const executions = Object.fromEntries(recorded.map((file) => [file, executionIn(read(file))]));
  expect(executions).toMatchObject({
    'persona-failed.json': { end: 'EVENT_TYPE_WORKFLOW_EXECUTION_FAILED' },
    'run-continued-1.json': { end: 'EVENT_TYPE_WORKFLOW_EXECUTION_CONTINUED_AS_NEW' },
    'run-continued-2.json': {
      input: { state: { open: expect.any(Array) } },
      end: 'EVENT_TYPE_WORKFLOW_EXECUTION_COMPLETED',
    },
    'run-retried.json': { input: { restarts: expect.arrayContaining([restart]) } },
    'persona-retried.json': { input: { restarts: expect.arrayContaining([restart]) } },
    'persona-regenerated.json': { input: { restarts: expect.arrayContaining([restart]) } },
  });
});

const restart = expect.objectContaining({ revision: 1 });

function executionIn(text: string): { readonly input: unknown; readonly end: string | undefined } {
  const { events } = eventsSchema.parse(JSON.parse(text)).history;
  const payload = events[0]?.workflowExecutionStartedEventAttributes?.input.payloads[0];
  const input: unknown = JSON.parse(Buffer.from(payload?.data ?? '', 'base64').toString() || 'null');
  return { input, end: events.at(-1)?.eventType };
}

test.each(recorded)('%s, recorded from a real run, still replays', async (file) => {
  await replay(read(file));
});

test('a history whose order of steps was changed does not replay', async () => {
  const swapped = read('persona-repaired.json')
    .replaceAll('"makeCalls"', '"held"')
    .replaceAll('"keepRecord"', '"makeCalls"')
    .replaceAll('"held"', '"keepRecord"');
  await expect(replay(swapped)).rejects.toThrow(/[Nn]ondeterminism/);
});
