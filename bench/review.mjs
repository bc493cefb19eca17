/**
 * Measures a review of many instances: the time from the command to the first task, the time to save an annotation, and the memory of the command.
 *
 *   npm run build && node bench/review.mjs [--rows N]
 *
 * --rows  instances (default: 12000; a third of them are personas, each with four tasks)
 *
 * The rows are those of eight simulated personas under other names. Node sends the same requests as the page.
 */
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { makeInstances } from './shared/instances.mjs';
import { loadTypeScript } from './shared/load-typescript.mjs';
import { readOptions } from './shared/options.mjs';
import { describeMachine, makeFolder, peakMbOf, startCommand } from './shared/processes.mjs';
import { median, printTable } from './shared/table.mjs';

const { rows: count } = readOptions({ rows: 12_000 });
const { writeParquet } = loadTypeScript('data/tables/parquet.ts');
const { QUALIFICATION } = loadTypeScript('rules/review/qualification.ts');
const { INSTANCE_COLUMNS } = loadTypeScript('data/tables/columns.ts');

const SAVES = 20;
const folder = makeFolder();
const file = join(folder, 'test.parquet');
await writeParquet(file, INSTANCE_COLUMNS, await makeInstances(count));

const args = ['review', file, '--results-dir', join(folder, 'review'), '--rater', 'anna', '--rater', 'ben'];
const first = await open();
const saved = [];
for (let at = 0; at < SAVES; at += 1) {
  for (const rater of ['anna', 'ben']) saved.push(await annotateNext(first, rater));
}
const peakMb = peakMbOf(first.command);
first.command.child.kill('SIGINT');
await first.command.ended;
const again = await open();
const againMb = peakMbOf(again.command);
again.command.child.kill('SIGINT');
await again.command.ended;

printTable(`Review: ${count} instances. ${describeMachine()}`, [
  { measure: 'new review: command to the first task, ms', value: first.ms },
  { measure: 'review that goes on: command to the next task, ms', value: again.ms },
  { measure: 'save an annotation, median ms', value: median(saved.map(({ save }) => save)) },
  { measure: 'save an annotation, longest ms', value: Math.max(...saved.map(({ save }) => save)) },
  { measure: 'list of tasks and the next one, median ms', value: median(saved.map(({ next }) => next)) },
  { measure: 'new review: memory of the command at its peak, MB', value: peakMb },
  { measure: 'review that goes on: memory at its peak, MB', value: againMb },
]);

/** Starts the command and opens a rater's first task. */
async function open() {
  const started = performance.now();
  const command = startCommand(args);
  // Links are printed one by one, ben's last.
  while (!/^ben: \S+$/m.test(command.output())) {
    if (command.child.exitCode !== null) throw new Error(command.output());
    await wait(5);
  }
  const asks = {};
  for (const [, rater, link] of command.output().matchAll(/^(anna|ben): (\S+)$/gm)) {
    asks[rater] = await openLink(link);
  }
  await findNext(asks.anna);
  return { command, asks, ms: performance.now() - started };
}

/** Opens a rater's link. Returns a function that sends requests. */
async function openLink(link) {
  const { origin } = new URL(link);
  const opened = await fetch(link, { redirect: 'manual' });
  const cookie = opened.headers.get('set-cookie').split(';')[0];
  return async (path, body) => {
    const response = await fetch(`${origin}${path}`, {
      headers: { cookie, ...(body !== undefined && { 'content-type': 'application/json', origin }) },
      ...(body !== undefined && { method: 'POST', body: JSON.stringify(body) }),
    });
    const answer = await response.json();
    if (!response.ok) throw new Error(`${path}: ${JSON.stringify(answer)}`);
    return answer;
  };
}

async function findNext(ask) {
  const { tasks } = await ask('/api/tasks');
  const { task } = tasks.find(({ isDone }) => !isDone);
  return (await ask(`/api/task?${new URLSearchParams({ task })}`)).task;
}

async function annotateNext({ asks }, rater) {
  const ask = asks[rater];
  const next = await timed(() => findNext(ask));
  const { task, kind, checklist } = next.answer;
  const known = QUALIFICATION.find((one) => one.task === task)?.answers;
  const label = kind === 'request' ? 'Not Covered' : 'Fully Covered';
  const save = await timed(() =>
    ask('/api/annotation', {
      task,
      rater,
      labels: known ?? checklist.map(() => label),
      realism: 5,
      implicitness: 5,
      revisions: [],
      rejection: null,
    }),
  );
  return { next: next.ms, save: save.ms };
}

async function timed(work) {
  const from = performance.now();
  const answer = await work();
  return { answer, ms: performance.now() - from };
}
