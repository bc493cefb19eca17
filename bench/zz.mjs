import { join } from 'node:path';
import { createRequire } from 'node:module';
const root=process.argv[2], folder=process.argv[3];
process.chdir(root);
const require=createRequire(root+'/package.json');
const { Client, Connection } = require('@temporalio/client');
const { loadTypeScript } = await import(root+'/bench/shared/load-typescript.mjs');
const { findTemporal } = loadTypeScript('workers/server/temporal-binary.ts');
const { startServer } = loadTypeScript('workers/server/temporal-server.ts');
const binary = await findTemporal(console.error);
const server = await startServer({ binary: binary.path, folder: join(folder, '.cupid', 'engine') });
const connection = await Connection.connect({ address: server.address });
const { workflow } = new Client({ connection });
const { temporal } = require('@temporalio/proto');
const out=[];
for await (const w of workflow.list()) {
  const h = await workflow.getHandle(w.workflowId, w.runId).fetchHistory();
  const bytes = temporal.api.history.v1.History.encode(h).finish().length;
  out.push([w.workflowId, w.type, h.events.length, bytes]);
}
out.sort();
const by={};
for(const [id,t,e,b] of out){ (by[t]??=[]).push([e,b]); }
for(const t in by){const n=by[t].length;console.log(t,'n',n,'events',Math.round(by[t].reduce((s,x)=>s+x[0],0)/n),'bytes',Math.round(by[t].reduce((s,x)=>s+x[1],0)/n));}
await connection.close(); await server.stop(); process.exit(0);
