/** Instances for measurements. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { loadTypeScript } from './load-typescript.mjs';
import { makeFolder, runCommand } from './processes.mjs';

/** Makes this many instances: those of eight simulated personas, repeated under new names. */
export async function makeInstances(count) {
  const runFolder = join(makeFolder(), 'run');
  const model = ['--model', 'simulated:default', '--n-personas', '8'];
  await runCommand(['synth', '--output-dir', runFolder, ...model], { runFolder });
  const { openData } = loadTypeScript('data/sets/open.ts');
  const { readInstances } = loadTypeScript('data/readers/read.ts');
  const rows = [];
  const dataSet = await openData(runFolder, { report: () => undefined, environment: process.env });
  for await (const row of readInstances(dataSet)) rows.push(row);
  return Array.from({ length: count }, (_, index) => {
    const row = rows[index % rows.length];
    return { ...row, persona_id: `${Math.floor(index / rows.length)}.${row.persona_id}` };
  });
}

/** Writes rows as JSON lines, which `cupid eval --data` reads. */
export function writeJsonLines(rows) {
  const file = join(makeFolder(), 'instances.jsonl');
  writeFileSync(file, `${rows.map((row) => JSON.stringify(row)).join('\n')}\n`);
  return file;
}
