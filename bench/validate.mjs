/**
 * Measures `cupid validate`: processor time and memory by the number of instances. These are those of simulated personas, repeated under new names.
 *
 *   npm run build && node bench/validate.mjs [--rows N,N,…] [--personas N] [--repeats N] [--beside DIR]
 *
 * --rows      numbers of instances (default: 3024,24000,200000)
 * --personas  of which the instances are repeated (default: 252); with few, texts repeat more than those of real data
 * --repeats   of each measurement, of which the median is printed (default: 3)
 * --beside    directory of another build, whose runs alternate with this one's. Both must print the same
 */
import { join } from 'node:path';
import { repeatInstances, writeInstances } from './shared/instances.mjs';
import { readOptions } from './shared/options.mjs';
import { describeMachine, getCommand, makeFolder, runCommand } from './shared/processes.mjs';
import { median, printTable } from './shared/table.mjs';

const { rows, personas, repeats, beside } = readOptions({
  rows: '3024,24000,200000',
  personas: 252,
  repeats: 3,
  beside: '',
});
const title = `Validation. ${describeMachine()}`;
const builds = beside === '' ? ['.'] : [beside, '.'];
const table = [];
const instances = await repeatInstances(personas);
for (const count of rows.split(',').map(Number)) {
  const file = join(makeFolder(), 'test.parquet');
  await writeInstances(file, instances(count));
  const measured = new Map(builds.map((build) => [build, []]));
  const printed = new Set();
  for (let repeat = 0; repeat < repeats; repeat += 1) {
    for (const build of builds) {
      const run = await runCommand(['validate', file], { command: getCommand(build) });
      measured.get(build).push(run);
      printed.add(run.output().replaceAll(/^Checking .*\n/gm, ''));
    }
  }
  if (printed.size > 1) throw new Error(`The builds do not print the same about ${count} instances.`);
  for (const [build, runs] of measured) {
    const seconds = median(runs.map(({ command: usage }) => usage.processorSeconds));
    table.push({
      instances: count,
      build,
      'processor s': seconds,
      'ms per instance': (1_000 * seconds) / count,
      'memory, MB': Math.round(median(runs.map(({ command: usage }) => usage.peakMemoryMb))),
    });
  }
}
printTable(title, table);
