/** Instances for measurements. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { loadTypeScript } from './load-typescript.mjs';
import { makeFolder, runCommand } from './processes.mjs';

/** Makes this many instances: those of eight simulated personas, repeated under new names. */
export async function makeInstances(count) {
  const instances = await repeatInstances(8);
  return [...instances(count)];
}

/** Synthesizes this many personas. Returns a function that repeats their instances under new names, one after the other. */
export async function repeatInstances(personas) {
  const runFolder = join(makeFolder(), 'run');
  const model = ['--model', 'simulated:default', '--n-personas', personas];
  await runCommand(['synth', '--output-dir', runFolder, ...model], { runFolder });
  const { openData } = loadTypeScript('data/sets/open.ts');
  const { readInstances } = loadTypeScript('data/sets/read.ts');
  const rows = [];
  const dataSet = await openData(runFolder, { report: () => undefined, environment: process.env });
  for await (const row of readInstances(dataSet)) rows.push(row);
  return function* (count) {
    for (let index = 0; index < count; index += 1) {
      const row = rows[index % rows.length];
      yield { ...row, persona_id: `${Math.floor(index / rows.length)}.${row.persona_id}` };
    }
  };
}

/** Writes instances as Parquet, a batch at a time. */
export async function writeInstances(file, instances) {
  const { writeParquet } = loadTypeScript('data/tables/parquet.ts');
  const { INSTANCE_COLUMNS } = loadTypeScript('data/tables/columns.ts');
  await writeParquet(file, INSTANCE_COLUMNS, instances);
}

/** Writes rows as JSON lines, which `cupid eval --data` reads. */
export function writeJsonLines(rows) {
  const file = join(makeFolder(), 'instances.jsonl');
  writeFileSync(file, `${rows.map((row) => JSON.stringify(row)).join('\n')}\n`);
  return file;
}
