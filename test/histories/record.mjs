/**
 * Records golden histories out of the folder of a stopped run or evaluation:
 * node test/histories/record.mjs FOLDER WORKFLOW-ID NAME …   the ids begin with the id in its run.json: ID, ID/p1, ID/studies
 * Each becomes test/histories/NAME.json, which must replay on every later version of the workflows; of a workflow that
 * continued as new, each execution becomes NAME-1.json, NAME-2.json, …
 */
import { writeFile } from 'node:fs/promises';
import { join, sep } from 'node:path';
import { Client, Connection } from '@temporalio/client';
import { historyToJSON } from '@temporalio/common/lib/proto-utils.js';
import { loadTypeScript } from '../../bench/shared/load-typescript.mjs';

const { findTemporal } = loadTypeScript('workers/server/temporal-binary.ts');
const { startServer } = loadTypeScript('workers/server/temporal-server.ts');

const ROOT = join(import.meta.dirname, '..', '..', sep);

async function main([folder, ...names]) {
  const binary = await findTemporal(console.error);
  const server = await startServer({ binary: binary.path, folder: join(folder, '.cupid', 'engine') });
  const connection = await Connection.connect({ address: server.address });
  const { workflow } = new Client({ connection });
  for (let at = 0; at < names.length; at += 2) {
    const workflowId = names[at];
    const histories = await fetchHistories(workflow, workflowId);
    for (const [index, history] of histories.entries()) {
      const number = histories.length === 1 ? '' : `-${index + 1}`;
      const file = join(import.meta.dirname, `${names[at + 1]}${number}.json`);
      // Includes the id, because the journal keys that a workflow checks contain it.
      const text = JSON.stringify({ workflowId, history: JSON.parse(historyToJSON(history)) });
      // The stack traces of failures contain absolute paths.
      await writeFile(file, `${text.replaceAll(ROOT, '')}\n`);
      console.error(`${workflowId}: ${history.events.length} events in ${file}`);
    }
  }
  await connection.close();
  await server.stop();
}

/** Fetches the histories of a workflow's executions, first to last: one, unless it continued as new. */
async function fetchHistories(workflow, workflowId) {
  const histories = [];
  let runId;
  do {
    const history = await workflow.getHandle(workflowId, runId).fetchHistory();
    histories.unshift(history);
    runId = history.events[0].workflowExecutionStartedEventAttributes.continuedExecutionRunId;
  } while (runId);
  return histories;
}

void main(process.argv.slice(2));
