/**
 * Evaluates readers of known abilities on extended histories, by choice: models that read nothing, the last session, the first mention of the
 * context, and every one; a memory that gives the last eight sessions, and one that searches. What they score is known in advance, so the
 * numbers test the histories: a reader that does not look for the evidence has no pair right, and one that reads everything scores the same at
 * each length. The search evaluates 60 instances only, because it takes long.
 *
 *   npm run build && node bench/history-readers.mjs [--personas N] [--histories own,32k,128k]
 *
 * --personas   of the synthesis (default: 200)
 * --histories  lengths (default: own,32k,128k)
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { readOptions } from './shared/options.mjs';
import { describeMachine, makeFolder, runCommand, synthesisOf } from './shared/processes.mjs';
import { printTable } from './shared/table.mjs';

const { personas, histories } = readOptions({ personas: 200, histories: 'own,32k,128k' });
const tiers = histories.split(',');
const folder = makeFolder();
const data = join(folder, 'run');
await runCommand(synthesisOf(data, 'simulated:default', personas), { runFolder: data });

const readers = ['none', 'last', 'first', 'all'].map((reads) => `simulated:default?reads=${reads}`);
const careful = 'simulated:careful';
const rows = [
  ...(await evaluate('models', readers, 'full', [])),
  ...(await evaluate('window', [careful], 'memory', [
    '--memory',
    'command:python3 docs/memory/last_sessions.py 8',
  ])),
  ...(await evaluate('search', [careful], 'memory', [
    '--memory',
    'command:python3 docs/memory/bm25.py 4',
    '--limit',
    '60',
  ])),
];
printTable(`Readers of extended histories: ${personas} personas. ${describeMachine()}`, rows);

/** Evaluates models on all lengths. Returns a row for each model and length. */
async function evaluate(name, models, context, more) {
  const resultsDir = join(folder, name);
  const options = ['--task', 'choice', '--context', context, '--history', ...tiers, '--no-check', ...more];
  const command = ['eval', '--results-dir', resultsDir, '--data', data, '--model', ...models, ...options];
  const { command: usage } = await runCommand(command, { runFolder: resultsDir });
  const { cells, analyses } = JSON.parse(readFileSync(join(resultsDir, 'results.json'), 'utf8'));
  return cells.map((cell) => {
    const isSame = (entry) => entry.model === cell.model && entry.context === cell.context;
    const length = analyses.histories.find(isSame);
    const found = analyses.memory.find((entry) => isSame(entry) && entry.instance_type === 'all');
    const recall = found?.evidence_recall.at(-1);
    return {
      reader: name === 'models' ? cell.model.split('=')[1] : name,
      context: cell.context,
      tokens: Math.round(length?.mean_tokens ?? 0),
      n: length?.n_instances ?? 0,
      'accuracy, %': (100 * cell.all.choice.accuracy).toFixed(1),
      'paired accuracy, %': (100 * cell.all.choice.paired_accuracy).toFixed(1),
      'evidence found, %':
        typeof recall?.share?.share !== 'number' ? '' : (100 * recall.share.share).toFixed(1),
      'peak MB of the command': Math.round(usage.memoryMb),
    };
  });
}
