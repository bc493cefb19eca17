/**
 * Takes the screenshots of the documentation in the browser of the tests, from a simulated run, its evaluation and its review.
 *
 *   npm run build && node docs/screenshots.mjs [FOLDER]
 *
 * FOLDER  where they go (default: docs)
 */
import { spawn, spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { chromium } from 'playwright-core';
import { loadTypeScript } from '../bench/shared/load-typescript.mjs';
import { installBrowser } from '../test/parts/install-browser.mjs';

/** First questions of a researcher (docs/explorer.md), with the links that lead to the answer from the overview. */
const QUESTIONS = [
  { name: 'better' },
  { name: 'wins', links: [compared('wins')] },
  { name: 'answers', links: [compared('losses'), firstInstance], show: 'Results' },
  { name: 'expressed', links: [verdicts('accepted'), firstInstance], show: 'Verification' },
  { name: 'first-answer', show: 'Quality' },
  { name: 'cost', show: 'Cost of compared' },
  { name: 'failures', links: [(page) => page.getByRole('link', { name: /^Failures/ })] },
  {
    name: 'raters',
    links: [(page) => numberIn(page, 'raters differ', 0), firstInstance],
    show: 'Review by people',
  },
  {
    name: 'position',
    links: [(page) => page.getByText('By position of the relevant sessions')],
    show: 'Analyses',
  },
  { name: 'oracle', show: 'Inference, matched by' },
];

const COMMAND = resolve(import.meta.dirname, '..', 'dist', 'cli', 'main.js');
const { QUALIFICATION } = loadTypeScript('rules/review/qualification.ts');
const target = resolve(process.argv[2] ?? import.meta.dirname);
// The pages show the names of folders, so these are short.
const folder = mkdtempSync(join(tmpdir(), 'cupid-screenshots-'));
const browser = await chromium.launch({ executablePath: await installBrowser(), args: ['--no-sandbox'] });
try {
  const model = 'simulated:default';
  const other = `${model}?malformed=0.05`;
  // Some dialogues fail.
  const user = `${model}?malformed=0.6`;
  run('synth', '--output-dir', 'out', '--n-personas', '12', '--model', other, '--user-model', user);
  run('verify', 'out', '--model', model);
  const models = ['--model', model, other, '--evaluator', model];
  run('eval', '--results-dir', 'results', '--data', 'out', '--task', 'both', ...models);
  run('report', 'results');
  await showReport();
  await show(['explore', 'out', 'results'], showInstances);
  const review = ['review', 'out', '--rater', 'anna', '--rater', 'ben'];
  await show(review, showTask);
  await show(review, labelTasks);
  const abilities = ['--model', 'simulated:careful', 'simulated:hasty', '--evaluator', model];
  run(
    'eval',
    '--results-dir',
    'compared',
    '--data',
    'out',
    ...abilities,
    '--context',
    'full',
    'oracle',
    'none',
  );
  await show(['explore', 'out', 'compared'], answerQuestions);
} finally {
  await browser.close();
  rmSync(folder, { recursive: true, force: true });
}

async function showReport() {
  const page = await browser.newPage({ viewport: { width: 1400, height: 1300 } });
  await page.goto(pathToFileURL(join(folder, 'results', 'report.html')).href);
  await take(page, 'report');
}

/** Shows the instance that the two models disagree on most, and a long dialogue beside the evidence of `cupid verify`. */
async function showInstances(url) {
  const page = await browser.newPage({ viewport: { width: 1400, height: 780 } });
  await page.goto(url);
  await page.locator('.rows a').first().waitFor();
  const list = async (order) => {
    const path = JSON.stringify(`/api/instances?sort=${order}`);
    const { rows } = await page.evaluate(`fetch(${path}).then((answer) => answer.json())`);
    return rows;
  };
  const open = async ({ persona, type }) => {
    const query = new URLSearchParams({ instance: persona, 'type-of': type });
    await page.goto(new URL(`/?${query}`, page.url()).href);
    // The calls of the dialogue come last.
    await page.locator('.messages .calls').first().waitFor();
  };
  const [different] = await list('disagreement');
  await open(different);
  await take(page, 'explorer');
  const [longest] = await list('length');
  await open(longest);
  await page.evaluate(
    `[...document.querySelectorAll('h2')].find((one) => one.innerText.startsWith('Verification')).scrollIntoView()`,
  );
  await page.evaluate(`document.querySelector('.reading').scrollTop -= 12`);
  await take(page, 'explorer-dialogue', await page.locator('.reading').boundingBox());
}

/** @returns the link of a number of the model that is not the best */
function compared(title) {
  return (page) => {
    const board = page.getByRole('table', { name: /^Inference, / });
    const row = board
      .locator('tbody tr')
      .filter({ hasText: 'oracle' })
      .filter({ hasText: 'simulated:careful' });
    return row.locator(`[data-title="${title}"]`).getByRole('link');
  };
}

function verdicts(title) {
  return (page) => {
    const table = page.getByRole('table', { name: /^Verdicts of / });
    const at = ['instances', 'accepted', 'solvable'].indexOf(title);
    return table.getByRole('row', { name: /^all / }).locator('td').nth(at).getByRole('link');
  };
}

function numberIn(page, row, at) {
  return page.getByRole('row', { name: row }).locator('td').nth(at).getByRole('link');
}

function firstInstance(page) {
  return page.locator('.rows a').first();
}

/** Shows the answer to each question on a desk and on a telephone. */
async function answerQuestions(url) {
  await answerAt(url, { viewport: { width: 1400, height: 800 }, deviceScaleFactor: 0.75 }, '');
  await answerAt(url, { viewport: { width: 390, height: 844 } }, '-narrow');
}

async function answerAt(url, screen, suffix) {
  const context = await browser.newContext(screen);
  const page = await context.newPage();
  await page.goto(url);
  await page.locator('.rows a').first().waitFor();
  const first = new URL('/', page.url()).href;
  mkdirSync(join(target, 'questions'), { recursive: true });
  for (const { name, links = [], show: title } of QUESTIONS) {
    await page.goto(first);
    await page.getByRole('columnheader', { name: 'losses' }).first().waitFor();
    await page.getByRole('table', { name: 'Cost of compared' }).waitFor();
    for (const link of links) await link(page).click();
    if (title !== undefined) {
      const [heading, table] = ['heading', 'table'].map((role) =>
        page.locator('.reading').getByRole(role, { name: title }),
      );
      await heading
        .or(table)
        .first()
        .evaluate((element) => element.scrollIntoView());
    }
    // Charts arrive after the page.
    await page.waitForLoadState('networkidle');
    await page.screenshot({
      path: join(target, 'questions', `${name}${suffix}.jpg`),
      type: 'jpeg',
      quality: 55,
    });
  }
  await context.close();
}

/** Shows the first task after the qualification that has quotations, which appear once its items have labels. */
async function showTask(url) {
  const page = await browser.newPage({ viewport: { width: 1400, height: 900 } });
  await page.goto(url);
  for (let task = 0; task < QUALIFICATION.length; task += 1) await labelTask(page);
  await page.locator('.task form').waitFor();
  while ((await page.locator('.task form [role=status]').count()) === 0) await labelTask(page, '3');
  const items = await page.locator('.items fieldset').count();
  for (let item = 0; item < items; item += 1) await page.keyboard.press('1');
  await page.locator('.items blockquote').first().waitFor();
  await page.evaluate(`document.querySelector('.task form').scrollTop = 0`);
  await take(page, 'review');
}

/** Labels most tasks as both raters, who differ about each item. With all of them, the review would end. */
async function labelTasks(_url, output) {
  const links = [...output().matchAll(/^(?:anna|ben): (?<link>http\S+)$/gm)].map(({ groups }) => groups.link);
  for (const [rater, link] of links.entries()) {
    const context = await browser.newContext();
    const page = await context.newPage();
    await page.goto(link);
    for (let task = 0; task < 30; task += 1) await labelTask(page, `${rater + 1}`);
    await context.close();
  }
}

/** @param key of the label of each item, unless the task belongs to the qualification */
async function labelTask(page, key) {
  await page.locator('.task form').waitFor();
  const text = await page.locator('.task form').innerText();
  const known = QUALIFICATION.find(({ checklist }) => text.includes(checklist[0]));
  const items = await page.locator('.items fieldset').count();
  const labels = known?.answers.map((answer) => (answer === 'Fully Covered' ? '1' : '3'));
  for (const label of labels ?? Array.from({ length: items }, () => key)) await page.keyboard.press(label);
  for (let scale = 0; scale < 2; scale += 1) await page.keyboard.press('5');
  const form = await page.locator('.task form').elementHandle();
  await page.getByRole('button', { name: 'Save and continue' }).click();
  await form.waitForElementState('hidden');
}

/** @param clip a part of the page */
async function take(page, name, clip) {
  await page.screenshot({ path: join(target, `${name}.png`), clip });
}

function run(...args) {
  const { status } = spawnSync(process.execPath, [COMMAND, ...args], {
    cwd: folder,
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  // Finished, with failures or without.
  if (status !== 0 && status !== 3) throw new Error(`cupid ${args.join(' ')} exited with ${status}`);
}

/** Serves a page while it is shown. */
async function show(args, showPage) {
  const command = spawn(process.execPath, [COMMAND, ...args], { cwd: folder });
  const ended = new Promise((end) => command.once('close', end));
  try {
    let output = '';
    await showPage(
      await new Promise((found, failed) => {
        command.once('close', () => failed(new Error(output)));
        const read = (text) => {
          output += text;
          const [url] = /http:\S+(?=\s)/.exec(output) ?? [];
          // By then all links are printed.
          if (url !== undefined && output.includes('Press Ctrl-C')) found(url);
        };
        command.stdout.setEncoding('utf8').on('data', read);
        command.stderr.setEncoding('utf8').on('data', read);
      }),
      () => output,
    );
  } finally {
    command.kill('SIGINT');
    await ended;
  }
}
