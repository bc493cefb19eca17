/**
 * Measures the time of `cupid report` and the size of its page, for a synthesis run and for an evaluation of two models on both tasks. Both are
 * small runs with simulated models, whose records, ledger and rows are repeated under new numbers.
 *
 *   npm run build && node bench/report.mjs [--instances N] [--repeats N]
 *
 * --instances  (default: 3000)
 * --repeats    of each report, of which the median is printed (default: 3)
 */
import { copyFileSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { loadTypeScript } from './shared/load-typescript.mjs';
import { readOptions } from './shared/options.mjs';
import { describeMachine, makeFolder, runCommand } from './shared/processes.mjs';
import { printTable } from './shared/table.mjs';

const { instances, repeats } = readOptions({ instances: 3000, repeats: 3 });
const title = `Reports of ${instances} instances. ${describeMachine()}`;
const table = [];

const run = await makeRun(Math.ceil(instances / 3));
table.push(await measure('synthesis run', run));
// While a run is in progress, the report counts again what building the data sets counted.
const file = join(run, 'run.json');
writeFileSync(file, readFileSync(file, 'utf8').replace('"state": "finished"', '"state": "running"'));
table.push(await measure('synthesis run in progress', run));
table.push(await measure('evaluation, two models', await makeEvaluation(join(run, 'CUPID-Unverified'))));
printTable(title, table);

async function measure(name, folder) {
  const runs = [];
  for (let time = 0; time < repeats; time += 1) {
    const { startedAt, endedAt, command, samples } = await runCommand(['report', folder], {
      runFolder: folder,
    });
    const memoryMb = Math.max(...samples.map((sample) => sample.memoryMb));
    runs.push({ seconds: (endedAt - startedAt) / 1_000, command, memoryMb });
  }
  const { seconds, command, memoryMb } = runs.toSorted((one, other) => one.seconds - other.seconds)[
    runs.length >> 1
  ];
  const bytes = statSync(join(folder, 'report.html')).size;
  return {
    report: name,
    seconds,
    'processor s': command.processorSeconds,
    'page, MB': bytes / 1e6,
    'memory, MB': Math.round(memoryMb),
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
  repeatLedger(folder, Math.ceil(personas / 8));
  const inputs = join(store, 'inputs', 'run.json');
  const { settings, ...others } = JSON.parse(readFileSync(inputs, 'utf8'));
  writeFileSync(inputs, JSON.stringify({ ...others, settings: { ...settings, nPersonas: personas } }));
  return folder;
}

function repeatLedger(folder, times) {
  const ledgers = join(folder, '.cupid', 'ledger');
  for (const name of readdirSync(ledgers)) {
    const lines = readFileSync(join(ledgers, name), 'utf8').trimEnd().split('\n');
    const repeated = Array.from({ length: times }, (_, time) =>
      lines.map((line) => {
        const value = JSON.parse(line);
        const sending = value.sentAtMs === undefined ? {} : { sentAtMs: value.sentAtMs + time * 10_000 };
        return JSON.stringify({ ...value, call: value.call + time * lines.length, ...sending });
      }),
    );
    writeFileSync(join(ledgers, name), `${repeated.flat().join('\n')}\n`);
  }
}

function nameOf(number) {
  return `${String(number).padStart(7, '0')}.json`;
}

/** Makes an evaluation of 24 instances and repeats its rows, which are all that grows with the data. */
async function makeEvaluation(data) {
  const folder = join(makeFolder(), 'results');
  const models = ['--model', 'simulated:default', 'simulated:default?malformed=0.05'];
  const options = ['--evaluator', 'simulated:default', '--task', 'both', '--results-dir', folder];
  await runCommand(['eval', '--data', data, ...models, ...options], { runFolder: folder });
  const { readTableRows } = loadTypeScript('data/readers/table.ts');
  const { EVALUATION_COLUMNS } = loadTypeScript('data/tables/columns.ts');
  const { writeParquet } = loadTypeScript('data/tables/parquet.ts');
  const results = join(folder, 'results.parquet');
  const names = EVALUATION_COLUMNS.fields.map(({ name }) => name);
  const rows = [];
  for await (const { value } of readTableRows({ path: results, name: results }, names)) rows.push(value);
  const plain = JSON.parse(
    JSON.stringify(rows, (_, value) => (typeof value === 'bigint' ? Number(value) : value)),
  );
  const repeated = Array.from({ length: instances * 4 }, (_, at) => {
    const row = plain[at % plain.length];
    return { ...row, persona_id: `${Math.floor(at / plain.length)}.${row.persona_id}` };
  });
  await writeParquet(results, EVALUATION_COLUMNS, repeated);
  repeatLedger(folder, Math.ceil(instances / 24));
  return folder;
}
