/**
 * Records golden histories out of the folder of a stopped run or evaluation:
 * node test/histories/record.js FOLDER WORKFLOW-ID NAME …   the ids begin with the id in its run.json: ID, ID/p1, ID/i1/m1/full
 * Each becomes test/histories/NAME.json, which must replay on every later version of the workflows.
 */
const { writeFile } = require('node:fs/promises');
const path = require('node:path');
const { Client, Connection } = require('@temporalio/client');
const { historyToJSON } = require('@temporalio/common/lib/proto-utils');
const { findTemporal } = require('../../dist/workers/temporal-binary.js');
const { startServer } = require('../../dist/workers/temporal-server.js');

async function main([folder, ...names]) {
  const binary = await findTemporal(console.error);
  const server = await startServer({ binary: binary.path, folder: path.join(folder, '.cupid', 'engine') });
  const connection = await Connection.connect({ address: server.address });
  const { workflow } = new Client({ connection });
  for (let at = 0; at < names.length; at += 2) {
    const history = await workflow.getHandle(names[at]).fetchHistory();
    const file = path.join(__dirname, `${names[at + 1]}.json`);
    // With its id: the journal keys that a workflow checks are made of it.
    await writeFile(file, `${JSON.stringify({ workflowId: names[at], history: JSON.parse(historyToJSON(history)) })}\n`);
    console.error(`${names[at]}: ${history.events.length} events in ${file}`);
  }
  await connection.close();
  await server.stop();
}

void main(process.argv.slice(2));
