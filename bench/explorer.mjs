/**
 * Measures the explorer with many instances and the results of three models, in the browser of the tests. It takes the time from the command to
 * the first page with its leaderboards, until everything is read, and for searches, filters and single instances. It also takes the command's
 * memory.
 *
 *   npm run build && node bench/explorer.mjs [--rows N] [--pandas PYTHON]
 *
 * --rows    instances (default: 12000)
 * --pandas  a Python with pandas and pyarrow, which writes the file again: pandas puts all rows into one row group
 *
 * The rows are those of eight simulated personas under other names, and so are the results: inference and generation of three models. The name
 * is in every message, so that no two personas share a text.
 */
import { execFileSync } from 'node:child_process';
import { copyFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { chromium } from 'playwright-core';
import { makeInstances, writeJsonLines } from './shared/instances.mjs';
import { loadTypeScript } from './shared/load-typescript.mjs';
import { readOptions } from './shared/options.mjs';
import { describeMachine, makeFolder, peakMbOf, runCommand, startCommand } from './shared/processes.mjs';
import { installBrowser } from '../test/parts/install-browser.mjs';
import { median, printTable } from './shared/table.mjs';

const { rows: count, pandas } = readOptions({ rows: 12_000, pandas: undefined });
const { writeParquet } = loadTypeScript('data/tables/parquet.ts');
const { INSTANCE_COLUMNS, EVALUATION_COLUMNS } = loadTypeScript('data/tables/columns.ts');
const { readParsedRows } = loadTypeScript('data/readers/parquet-table.ts');
const { evaluationRowSchema } = loadTypeScript('schemas/evaluation/evaluation.ts');

const file = join(makeFolder(), 'test.parquet');
const rows = await makeInstances(count);
let characters = 0;
await writeParquet(file, INSTANCE_COLUMNS, nameMessages());
if (pandas !== undefined) {
  const script = 'import pandas, sys; pandas.read_parquet(sys.argv[1]).to_parquet(sys.argv[1])';
  execFileSync(pandas, ['-c', script, file], { stdio: 'inherit' });
}

const results = await makeResults();

const browser = await chromium.launch({
  executablePath: await installBrowser(),
  args: ['--no-sandbox'],
});
// The start of the browser must not count.
const page = await browser.newPage();
await page.goto('about:blank');

const started = performance.now();
const command = startCommand(['explore', file, results]);
let url;
while (url === undefined) {
  await wait(5);
  url = /http:\S+/.exec(command.output())?.[0];
}
const linkMs = performance.now() - started;
const opened = performance.now();
await page.goto(url);
await page.locator('.rows a').nth(49).waitFor();
const firstPageMs = performance.now() - opened;
await page.locator('.numbers tbody th').first().waitFor();
const leaderboardMs = performance.now() - started;
const status = page.locator('.position [role=status]', { hasText: `of ${count.toLocaleString('en-US')}` });
await status.filter({ hasNotText: 'read' }).waitFor({ timeout: 300_000 });
const allReadMs = performance.now() - opened;

const ask = async (path) => {
  const from = performance.now();
  const answer = await page.evaluate(`fetch(${JSON.stringify(path)}).then((response) => response.json())`);
  return { ms: performance.now() - from, answer };
};
const searches = [];
const opens = [];
for (let at = 0; at < 20; at += 1) {
  const { persona_id: persona, instance_type: type } = rows[Math.floor((at + 0.5) * (count / 20))];
  searches.push(await ask(`/api/instances?q=${encodeURIComponent(`(${persona})`)}`));
  opens.push(await ask(`/api/instance?${new URLSearchParams({ persona, type })}`));
}
if (!searches.every(({ answer }) => answer.matching > 0)) throw new Error('A search found nothing.');
if (!opens.every(({ answer }) => answer.instance !== undefined))
  throw new Error('An instance was not found.');
const filter = await ask('/api/instances?type=changing&minLength=9000&sort=length');
const peak = peakMbOf(command);
await browser.close();
command.child.kill('SIGINT');
await command.ended;

printTable(
  `Explorer: ${count} instances, ${(characters / 1e6).toFixed(0)} M characters, Parquet of ${(statSync(file).size / 1e6).toFixed(0)} MB. ${describeMachine()}`,
  [
    { measure: 'command to its link, ms', value: linkMs },
    { measure: 'link to the first page of the list, ms', value: firstPageMs },
    { measure: 'command to the first page with its leaderboards, ms', value: leaderboardMs },
    { measure: 'link to all instances read, ms', value: allReadMs },
    { measure: 'search in all messages, median ms', value: median(searches.map(({ ms }) => ms)) },
    { measure: 'search in all messages, longest ms', value: Math.max(...searches.map(({ ms }) => ms)) },
    { measure: 'filter and order, ms', value: filter.ms },
    { measure: 'open an instance, median ms', value: median(opens.map(({ ms }) => ms)) },
    { measure: 'memory of the command at its peak, MB', value: peak },
  ],
);

/** Evaluates three models on the first personas, and writes their rows again for all others. */
async function makeResults() {
  const of = join(makeFolder(), 'results');
  const folder = makeFolder();
  const models = ['default', 'careful', 'hasty'].flatMap((name) => ['--model', `simulated:${name}`]);
  const evaluator = ['--evaluator', 'simulated:default', '--task', 'both'];
  await runCommand([
    'eval',
    '--results-dir',
    of,
    '--data',
    writeJsonLines(rows.filter(isFirst)),
    ...models,
    ...evaluator,
  ]);
  const evaluated = [];
  for await (const { row } of readParsedRows(join(of, 'results.parquet'), evaluationRowSchema, ''))
    evaluated.push(row);
  await writeParquet(join(folder, 'results.parquet'), EVALUATION_COLUMNS, repeatRows(evaluated));
  copyFileSync(join(of, 'results.json'), join(folder, 'results.json'));
  return folder;
}

function isFirst({ persona_id: persona }) {
  return persona.startsWith('0.');
}

function* repeatRows(evaluated) {
  const personas = new Map(rows.map(({ persona_id: persona }) => [persona, persona.replace(/^\d+/, '0')]));
  const byPersona = new Map(evaluated.map(({ persona_id: persona }) => [persona, []]));
  for (const row of evaluated) byPersona.get(row.persona_id).push(row);
  for (const [persona, first] of personas) {
    for (const row of byPersona.get(first)) yield { ...row, persona_id: persona };
  }
}

function* nameMessages() {
  for (const row of rows) {
    const prior = row.prior_interactions.map((one) => ({
      ...one,
      dialogue: one.dialogue.map(({ role, content }) => {
        characters += content.length;
        return { role, content: `${content} (${row.persona_id})` };
      }),
    }));
    yield { ...row, prior_interactions: prior };
  }
}
