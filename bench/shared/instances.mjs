/** Instances for measurements. */
import { writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { makeFolder, ROOT, runCommand } from './processes.mjs';

const load = createRequire(import.meta.url);

/** Makes this many instances: those of eight simulated personas, repeated under new names. */
export async function makeInstances(count) {
  const runFolder = join(makeFolder(), 'run');
  const model = ['--model', 'simulated:default', '--n-personas', '8'];
  await runCommand(['synth', '--output-dir', runFolder, ...model], { runFolder });
  const { openData } = load(join(ROOT, 'dist', 'data', 'sets', 'open.js'));
  const { readInstances } = load(join(ROOT, 'dist', 'data', 'readers', 'read.js'));
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
