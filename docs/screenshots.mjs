/**
 * Takes the screenshots of the documentation in the browser of the tests, from a simulated run, its evaluation and its review.
 *
 *   npm run build && node docs/screenshots.mjs [FOLDER]
 *
 * FOLDER  where they go (default: docs)
 */
import { execFileSync, spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { chromium } from 'playwright-core';
import { loadTypeScript } from '../bench/shared/load-typescript.mjs';
import { installBrowser } from '../test/parts/install-browser.mjs';

const COMMAND = resolve(import.meta.dirname, '..', 'dist', 'cli', 'main.js');
const { QUALIFICATION } = loadTypeScript('rules/review/qualification.ts');
const target = resolve(process.argv[2] ?? import.meta.dirname);
// The pages show the names of folders, so these are short.
const folder = mkdtempSync(join(tmpdir(), 'cupid-screenshots-'));
const browser = await chromium.launch({ executablePath: await installBrowser(), args: ['--no-sandbox'] });
try {
  const model = 'simulated:default';
  const other = `${model}?malformed=0.05`;
  run('synth', '--output-dir', 'out', '--n-personas', '12', '--model', other);
  run('verify', 'out', '--model', model);
  const models = ['--model', model, other, '--evaluator', model];
  run('eval', '--results-dir', 'results', '--data', 'out', '--task', 'both', ...models);
  run('report', 'results');
  await showReport();
  await show(['explore', 'out', 'results'], showInstances);
  await show(['review', 'out', '--rater', 'anna', '--rater', 'ben'], showTask);
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

/** Shows the first task after the qualification. */
async function showTask(url) {
  const page = await browser.newPage({ viewport: { width: 1400, height: 900 } });
  await page.goto(url);
  for (let task = 0; task < 3; task += 1) {
    await page.locator('.task form').waitFor();
    const text = await page.locator('.task form').innerText();
    const { answers } = QUALIFICATION.find(({ checklist }) => text.includes(checklist[0]));
    for (const answer of answers) await page.keyboard.press(answer === 'Fully Covered' ? '1' : '3');
    for (let scale = 0; scale < 2; scale += 1) await page.keyboard.press('5');
    const form = await page.locator('.task form').elementHandle();
    await page.getByRole('button', { name: 'Save and continue' }).click();
    await form.waitForElementState('hidden');
  }
  await page.locator('.items blockquote').first().waitFor();
  await take(page, 'review');
}

/** @param clip a part of the page */
async function take(page, name, clip) {
  await page.screenshot({ path: join(target, `${name}.png`), clip });
}

function run(...args) {
  execFileSync(process.execPath, [COMMAND, ...args], { cwd: folder, stdio: ['ignore', 'ignore', 'inherit'] });
}

/** Serves a page while it is shown. */
async function show(args, showPage) {
  const command = spawn(process.execPath, [COMMAND, ...args], { cwd: folder });
  try {
    await showPage(
      await new Promise((found, failed) => {
        let output = '';
        command.once('close', () => failed(new Error(output)));
        const read = (text) => {
          output += text;
          const [url] = /http:\S+(?=\s)/.exec(output) ?? [];
          if (url !== undefined) found(url);
        };
        command.stdout.setEncoding('utf8').on('data', read);
        command.stderr.setEncoding('utf8').on('data', read);
      }),
    );
  } finally {
    const ended = new Promise((end) => command.once('close', end));
    command.kill('SIGINT');
    await ended;
  }
}
