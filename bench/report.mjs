/**
 * Measures the time of `cupid report` and the size of its page: for a synthesis run, and for an evaluation of both tasks on its data. The models
 * are simulated.
 *
 *   npm run build && node bench/report.mjs [--personas N] [--repeats N]
 *
 * --personas  of the run, each with three instances (default: 1000; run and evaluation take some 20 minutes on two cores)
 * --repeats   of each report, of which the median is printed (default: 3)
 */
import { statSync } from 'node:fs';
import { join } from 'node:path';
import { readOptions } from './shared/options.mjs';
import { describeMachine, evaluationOf, makeFolder, runCommand, synthesisOf } from './shared/processes.mjs';
import { printTable } from './shared/table.mjs';

const { personas, repeats } = readOptions({ personas: 1000, repeats: 3 });
const title = `Reports of ${personas} personas. ${describeMachine()}`;
const MODEL = 'simulated:default';

const run = join(makeFolder(), 'run');
await runCommand(synthesisOf(run, MODEL, personas), { runFolder: run });
const results = join(makeFolder(), 'results');
await runCommand(evaluationOf(results, MODEL, run), { runFolder: results });
printTable(title, [await measure('synthesis run', run), await measure('evaluation of both tasks', results)]);

async function measure(name, folder) {
  const reports = [];
  for (let time = 0; time < repeats; time += 1) {
    const report = await runCommand(['report', folder], { runFolder: folder });
    reports.push({ ...report, seconds: (report.endedAt - report.startedAt) / 1_000 });
  }
  const { seconds, command, samples } = reports.toSorted((a, b) => a.seconds - b.seconds)[repeats >> 1];
  return {
    report: name,
    seconds,
    'processor s': command.processorSeconds,
    'page, MB': statSync(join(folder, 'report.html')).size / 1e6,
    'memory, MB': Math.round(Math.max(...samples.map(({ memoryMb }) => memoryMb))),
  };
}
