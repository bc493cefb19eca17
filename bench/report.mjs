/**
 * How long `cupid report` takes, and how large its page is: for a synthesis run of so many instances, and for an evaluation of as many with
 * two models and both tasks. The synthesis run is one of eight simulated personas, whose records and ledger are repeated under new numbers; the
 * evaluation is a real one with simulated models, and takes some minutes.
 *
 *   npm run build && node bench/report.mjs [--instances N] [--repeats N] [--no-evaluation]
 *
 * --instances      (default: 3000)
 * --repeats        of each report, of which the median is printed (default: 3)
 * --no-evaluation  only the synthesis run
 */
import { copyFileSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { makeInstances, writeJsonLines } from './shared/instances.mjs';
import { describeMachine, makeFolder, runCommand } from './shared/processes.mjs';
import { printTable } from './shared/table.mjs';

const { values } = parseArgs({
  options: {
    instances: { type: 'string', default: '3000' },
    repeats: { type: 'string', default: '3' },
    evaluation: { type: 'boolean', default: true },
  },
  allowNegative: true,
});
const instances = Number(values.instances);
const title = `Reports of ${instances} instances. ${describeMachine()}`;
const table = [];

const run = await makeRun(Math.ceil(instances / 3));
table.push(await measure('synthesis run', run));
// What was counted when the data sets were built is counted again while a run is in progress.
const file = join(run, 'run.json');
writeFileSync(file, readFileSync(file, 'utf8').replace('"state": "finished"', '"state": "running"'));
table.push(await measure('synthesis run in progress', run));
if (values.evaluation) table.push(await measure('evaluation, two models', await makeEvaluation()));
printTable(title, table);

async function measure(name, folder) {
  const runs = [];
  for (let time = 0; time < Number(values.repeats); time += 1) {
    const { startedAt, endedAt, command } = await runCommand(['report', folder], { runFolder: folder });
    runs.push({ seconds: (endedAt - startedAt) / 1_000, command });
  }
  const { seconds, command } = runs.toSorted((one, other) => one.seconds - other.seconds)[runs.length >> 1];
  const bytes = statSync(join(folder, 'report.html')).size;
  return {
    report: name,
    seconds,
    'processor s': command.processorSeconds,
    'page, MB': bytes / 1e6,
    'memory, MB': Math.round(command.memoryMb),
  };
}

async function makeRun(personas) {
  const folder = join(makeFolder(), 'run');
  await runCommand(['synth', '--output-dir', folder, '--model', 'simulated:default', '--n-personas', '8'], {
    runFolder: folder,
  });
  const store = join(folder, '.cupid');
  const records = join(store, 'records');
  for (let number = 9; number <= personas; number += 1) {
    copyFileSync(join(records, nameOf(((number - 1) % 8) + 1)), join(records, nameOf(number)));
  }
  const ledgers = join(store, 'ledger');
  for (const name of readdirSync(ledgers)) {
    const lines = readFileSync(join(ledgers, name), 'utf8').trimEnd().split('\n');
    const times = Math.ceil(personas / 8);
    const repeated = Array.from({ length: times }, (_, time) =>
      lines.map((line) => {
        const value = JSON.parse(line);
        const at = value.at === undefined ? {} : { at: value.at + time * 10_000 };
        return JSON.stringify({ ...value, call: value.call + time * lines.length, ...at });
      }),
    );
    writeFileSync(join(ledgers, name), `${repeated.flat().join('\n')}\n`);
  }
  const inputs = join(store, 'inputs', 'run.json');
  const { settings, ...others } = JSON.parse(readFileSync(inputs, 'utf8'));
  writeFileSync(inputs, JSON.stringify({ ...others, settings: { ...settings, nPersonas: personas } }));
  return folder;
}

function nameOf(number) {
  return `${String(number).padStart(7, '0')}.json`;
}

async function makeEvaluation() {
  const folder = join(makeFolder(), 'results');
  const data = writeJsonLines(await makeInstances(instances));
  const models = ['--model', 'simulated:default', 'simulated:default?malformed=0.02'];
  const options = ['--evaluator', 'simulated:default', '--results-dir', folder, '--concurrency', '256'];
  await runCommand(['eval', '--data', data, ...models, ...options], { runFolder: folder });
  return folder;
}
