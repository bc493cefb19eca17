/**
 * Records golden histories out of the folder of a stopped run or evaluation:
 * node test/histories/record.js FOLDER WORKFLOW-ID NAME …   the ids begin with the id in its run.json: ID, ID/p1, ID/i1/m1/full
 * Each becomes test/histories/NAME.json, which must replay on every later version of the workflows; of a workflow that
 * continued as new, each execution becomes NAME-1.json, NAME-2.json, …
 */
const { writeFile } = require('node:fs/promises');
const path = require('node:path');
const { Client, Connection } = require('@temporalio/client');
const { historyToJSON } = require('@temporalio/common/lib/proto-utils');
const { findTemporal } = require('../../dist/workers/server/temporal-binary.js');
const { startServer } = require('../../dist/workers/server/temporal-server.js');

const ROOT = path.join(__dirname, '..', '..', path.sep);

async function main([folder, ...names]) {
  const binary = await findTemporal(console.error);
  const server = await startServer({ binary: binary.path, folder: path.join(folder, '.cupid', 'engine') });
  const connection = await Connection.connect({ address: server.address });
  const { workflow } = new Client({ connection });
  for (let at = 0; at < names.length; at += 2) {
    const workflowId = names[at];
    const histories = await fetchHistories(workflow, workflowId);
    for (const [index, history] of histories.entries()) {
      const number = histories.length === 1 ? '' : `-${index + 1}`;
      const file = path.join(__dirname, `${names[at + 1]}${number}.json`);
      // With its id: the journal keys that a workflow checks are made of it.
      const text = JSON.stringify({ workflowId, history: JSON.parse(historyToJSON(history)) });
      // The stack traces of failures name files by their place on this machine.
      await writeFile(file, `${text.replaceAll(ROOT, '')}\n`);
      console.error(`${workflowId}: ${history.events.length} events in ${file}`);
    }
  }
  await connection.close();
  await server.stop();
}

/** The histories of a workflow's executions, first to last: one, unless it continued as new. */
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
