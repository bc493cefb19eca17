import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import * as z from 'zod';
import { needing } from '../parts/needing';
import { findOwnPort } from '../ports';
import { HubStandIn } from '../stand-in/hub-server';
import { startCluster } from '../temporal-cluster';
import { createTemporaryFolder } from '../temporary-folder';
import { listViolations, openBrowser, openPage, startPage } from './browser';
import { makeExplored, PLAIN } from './explored';
import { runLoaded } from './loaded-command';
import { readRunFile } from './outputs';
import { endLeftovers, startCommand, startSynth, until, untilSaid, interrupt } from './processes';

const { describe, test } = needing('browser');

const folder = createTemporaryFolder();
const failed = join(folder, 'failed');
const FAILING = 'simulated:default?malformed=0.9';
let out: string;
let results: string;
let browser: Browser;

beforeAll(async () => {
  ({ out, results } = await makeExplored(folder));
  await runLoaded([
    'synth',
    `--output-dir=${failed}`,
    '--n-personas=1',
    `--model=${PLAIN}`,
    `--user-model=${FAILING}`,
  ]);
  browser = await openBrowser();
});

afterEach(endLeftovers);
afterAll(() => browser.close());

test('an instance that is opened before its results are read shows them once they are', async () => {
  const { url } = await startPage(['explore', out, results]);
  const { page } = await openPage(browser, url);
  await page.locator('.rows a').first().click();
  await page.locator('.result').first().waitFor();
  let isRead = false;
  await page.route(/\/api\/(about|progress|instance\?)/, async (route) => {
    const response = await route.fetch();
    const answer = answerSchema.parse(await response.json());
    const begun = { version: 1, reading: true };
    const early = {
      ...answer,
      ...begun,
      ...(answer.progress && { progress: { ...answer.progress, ...begun } }),
      ...(answer.results && { results: [] }),
    };
    await route.fulfill({ response, json: isRead ? answer : early });
  });
  await page.reload();
  await page.getByText('No results so far.').waitFor();
  isRead = true;
  await page.locator('.result').first().waitFor();
  await page.unrouteAll({ behavior: 'wait' });
});

const answerSchema = z.looseObject({
  progress: z.looseObject({}).optional(),
  results: z.array(z.unknown()).optional(),
});

test('repaired answers are shown with what was wrong with them', async () => {
  const { url } = await startPage(['explore', out]);
  const { page, complaints } = await openPage(browser, url);
  await page.locator('.rows a').first().click();
  const repaired = page.locator('.calls summary', { hasText: 'repaired answer' });
  const sessions = page.locator('.sessions a');
  await page.locator('.calls').first().waitFor();
  // With a tenth of the answers malformed, one of eight dialogues has a repair.
  for (let at = 0; (await repaired.count()) === 0 && at < 8; at += 1) {
    await sessions.nth(at).click();
    await page.getByRole('heading', { name: `Session ${at + 1} of 8` }).waitFor();
    await page.locator('.calls').first().waitFor();
  }
  await repaired.first().click();
  expect(await page.locator('.attempts .problem').first().innerText()).toMatch(/\w/);
  expect(complaints).toEqual([]);
});

test('failures are shown with every answer of the call that failed', async () => {
  const { url } = await startPage(['explore', failed]);
  const { page, complaints } = await openPage(browser, url);
  await page.getByRole('link', { name: /^Failures \([1-9]/ }).click();
  await page.locator('.failures a').first().click();
  expect(page.url()).toMatch(/work=1%2Fs\d+/);
  const last = page.locator('.failures section').last();
  // Ten answers, none of which counts.
  await last.locator('.attempts').nth(1).locator('.badge', { hasText: 'bad answer' }).nth(9).waitFor();
  expect(await last.locator('.attempts').nth(1).locator('.problem').count()).toBe(10);
  expect(await listViolations(page)).toEqual([]);
  expect(complaints).toEqual([]);
});

test('missing scores are counted by failed step, and lead to their instances, which show no matches', async () => {
  const missing = join(folder, 'missing scores');
  const models = ['--model', PLAIN, '--evaluator', 'simulated:default?malformed=0.97'];
  await runLoaded(['eval', '--results-dir', missing, '--data', out, '--limit=3', ...models]);
  const failures: unknown = JSON.parse((await runLoaded(['failures', missing, '--json'])).stdout);
  const trials = new Set(failuresSchema.parse(failures).failures.map(({ name }) => name));
  expect(trials.size).toBeGreaterThan(0);

  const { url } = await startPage(['explore', missing]);
  const { page, complaints } = await openPage(browser, url);
  await page.getByRole('link', { name: `Failures (${trials.size})` }).click();
  // The advice is a command for this folder.
  await page.getByText(`Retry them: cupid retry '${missing}'`).waitFor();
  await page
    .getByText(/^\d+ · (decompose|match) · bad-answers$/)
    .first()
    .waitFor();
  await page.getByText('No usable answer after').first().waitFor();
  expect(await listViolations(page)).toEqual([]);
  await page.getByRole('link', { name: new RegExp(`^${trials.size} scores? of `) }).click();
  await page.locator('.position', { hasText: `of ${trials.size} that match` }).waitFor();
  await page.locator('.rows a').first().click();
  await page.locator('.result .problem').waitFor();
  expect(await page.getByText('True items in the inferred preference').count()).toBe(0);
  expect(complaints).toEqual([]);
});

const failuresSchema = z.object({ failures: z.array(z.object({ name: z.string() })) });

test('the link opens the page from another site too, such as a terminal in a browser', async () => {
  const { url } = await startPage(['explore', out]);
  const site = createServer((_, response) => {
    response.setHeader('Content-Type', 'text/html').end(`<a href="${url}">explore</a>`);
  });
  const port = await findOwnPort();
  await new Promise<void>((resolve) => site.listen(port, resolve));
  const { page } = await openPage(browser, `http://localhost:${port}/`);
  await page.getByRole('link', { name: 'explore' }).click();
  await page.locator('.rows a').first().waitFor();
  site.close();
});

test('the keyboard does it all', async () => {
  const { url } = await startPage(['explore', out, results]);
  const { page } = await openPage(browser, url);
  await page.locator('.rows a').nth(5).waitFor();
  const { keyboard } = page;
  const focusedRow = page.locator('.rows a:focus');
  for (const key of ['j', 'j', 'k', 'ArrowDown']) await keyboard.press(key);
  await page.locator('.rows li:nth-child(2) a:focus').waitFor();
  await keyboard.press('Enter');
  await page.locator('article h1:focus').waitFor();
  await keyboard.press(']');
  expect(page.url()).toMatch(/[?&]s=\d/);
  await keyboard.press('n');
  await page.locator('.rows li:nth-child(3) a[aria-current]').waitFor();
  await keyboard.press('Escape');
  await focusedRow.waitFor();
  await keyboard.press('Escape');
  await page.getByText('Choose an instance to read').waitFor();
  await keyboard.press('/');
  await keyboard.type('/?j');
  expect(await page.getByRole('searchbox', { name: 'Search in messages' }).inputValue()).toBe('/?j');
  await keyboard.press('Escape');
  await keyboard.press('?');
  await page.getByRole('dialog').waitFor();
  expect(await listViolations(page)).toEqual([]);
  await keyboard.press('Escape');
  await page.getByRole('dialog').waitFor({ state: 'detached' });
});

test('the keys go on to the next page and back', async () => {
  const data = join(folder, 'pages.jsonl');
  const rows = Array.from({ length: 51 }, (_, at) =>
    JSON.stringify({
      persona_id: `${at + 1}+teacher`,
      instance_type: 'consistent',
      current_request: `Request ${at + 1}`,
      current_context_factor: 'Lesson',
      current_contextual_preference: 'Answers must be short.',
      current_checklist: ['Is the answer short?'],
      prior_interactions: [
        {
          context_factor: 'Lesson',
          contextual_preference: 'Answers must be short.',
          dialogue: ['user', 'assistant'].map((role) => ({ role, content: 'Short.' })),
        },
      ],
    }),
  );
  writeFileSync(data, `${rows.join('\n')}\n`);
  // The verdicts are of other data, as every view says.
  const { url } = await startPage(['explore', data, join(out, 'verification')]);
  const { page } = await openPage(browser, url);
  await page.locator('.rows a').nth(49).click();
  await page.getByText(/^The verdicts in .* may not fit the texts shown here/).waitFor();
  await page.getByRole('heading', { name: '50+teacher' }).waitFor();
  const position = page.locator('.position [role=status]');
  // The first page is shown before the rest is read.
  await position.filter({ hasText: '1–50 of 51' }).waitFor();
  await page.keyboard.press('n');
  await position.filter({ hasText: '51–51 of 51' }).waitFor();
  await page.keyboard.press('n');
  await page.getByRole('heading', { name: '51+teacher' }).waitFor();
  await page.keyboard.press('p');
  await position.filter({ hasText: '1–50 of 51' }).waitFor();
  await page.keyboard.press('p');
  await page.getByRole('heading', { name: '50+teacher' }).waitFor();
});

describe("the link to a persona's workflow leads to it in Temporal's UI", () => {
  test('of a run on a cluster, where its UI is named; none where it is not', async () => {
    const uiPort = await findOwnPort();
    const cluster = await startCluster({ folder: join(folder, 'cluster'), uiPort });
    try {
      const run = join(folder, 'on-cluster');
      const args = ['synth', '--output-dir', run, '--n-personas=1', '--model', PLAIN];
      const { code } = await runLoaded(args, { TEMPORAL_ADDRESS: cluster.address });
      expect(code).toBe(0);
      const without = await openFirst(run);
      expect(await without.getByText(`${readRunFile(run).id}/p1`, { exact: true }).count()).toBe(1);
      expect(await linkOf(without).count()).toBe(0);
      const page = await openFirst(run, '--temporal-ui', `http://127.0.0.1:${uiPort}/`);
      await expectCompleted(page, run);
    } finally {
      await cluster.stop();
    }
  });

  test('of a run that cupid server shows', async () => {
    const ports = ['--port', String(await findOwnPort()), '--ui-port', String(await findOwnPort())];
    const server = startCommand(['server', '--output-dir', out, ...ports]);
    await untilSaid(server, 'Press Ctrl-C');
    await expectCompleted(await openFirst(out), out);
  });
});

/** Opens a page with the first instance of a run. */
async function openFirst(...args: string[]): Promise<Page> {
  const { url } = await startPage(['explore', ...args]);
  const { page } = await openPage(browser, url);
  await page.locator('.rows a').first().click();
  await page.getByText(/^Cost of the persona$/).waitFor();
  return page;
}

function linkOf(page: Page) {
  return page.getByRole('link', { name: 'Open the workflow in Temporal’s UI' });
}

/** Follows the link, to the state that the UI shows beside the workflow's id. */
async function expectCompleted(page: Page, run: string): Promise<void> {
  const [ui] = await Promise.all([page.context().waitForEvent('page'), linkOf(page).click()]);
  const { id } = readRunFile(run);
  await ui.getByRole('heading', { name: `${id}/p1` }).waitFor();
  await ui.getByText('Completed', { exact: true }).first().waitFor();
  // The link leads to the persona's workflow, not to the run's.
  expect(decodeURIComponent(ui.url())).toContain(`/namespaces/default/workflows/${id}/p1/`);
}

test('a data set of the Hub, in the dark and on a narrow screen', async () => {
  const hub = await HubStandIn.start();
  const commit = 'a'.repeat(40);
  const files = { 'test.parquet': readFileSync(join(out, 'CUPID-Unverified', 'test.parquet')) };
  hub.add({ name: 'kim/cupid', commits: { [commit]: files }, refs: { main: commit } });
  const home = join(folder, 'home');
  const variables = { HF_ENDPOINT: hub.url, HF_TOKEN: '', HF_HOME: home, XDG_CACHE_HOME: home };
  const { url } = await startPage(['explore', 'kim/cupid'], variables);
  const narrow = { colorScheme: 'dark', viewport: { width: 400, height: 800 } } as const;
  const { page, complaints } = await openPage(browser, url, narrow);
  const rows = page.locator('.rows a');
  await page.getByRole('link', { name: 'Instances' }).click();
  await rows.nth(5).click();
  await page.getByRole('heading', { name: /^Session \d of 8/ }).waitFor();
  expect(await rows.first().isVisible()).toBe(false);
  expect(await listViolations(page)).toEqual([]);
  // Only the parts of the page scroll.
  expect(await page.evaluate('document.documentElement.scrollHeight')).toBe(800);
  // Printed in full, and dark on white.
  await page.emulateMedia({ media: 'print' });
  expect(await page.evaluate('getComputedStyle(document.body).backgroundColor')).toBe('rgb(255, 255, 255)');
  expect(await page.evaluate('document.documentElement.scrollHeight > 2 * innerHeight')).toBe(true);
  await page.emulateMedia({ media: 'screen' });
  await page.getByRole('link', { name: 'Instances' }).click();
  await rows.first().waitFor();
  expect(complaints).toEqual([]);
  await hub.stop();
});

test('during a run it shows what is new', async () => {
  const growing = join(folder, 'growing');
  const running = startSynth(
    growing,
    '--model=simulated:default?latency=60ms',
    '--n-personas=3',
    '--concurrency=8',
  );
  const { url } = await startPage(['explore', await untilPlanned(growing)]);
  const { page, complaints } = await openPage(browser, url);
  await page.getByText('in progress').waitFor();
  expect((await running.ended).code).toBe(0);
  await page.locator('.position [role=status]', { hasText: 'of 9' }).waitFor();
  await page.getByText('in progress').waitFor({ state: 'detached' });
  expect(complaints).toEqual([]);
});

test('dialogues of unfinished personas are read as far as they are', async () => {
  const stopped = join(folder, 'stopped');
  const running = startSynth(stopped, '--model=simulated:default?latency=200ms', '--n-personas=1');
  const journal = join(stopped, '.cupid', 'journal');
  const list = () => (existsSync(journal) ? readdirSync(journal, { recursive: true, encoding: 'utf8' }) : []);
  await until(() => list().some((name) => /s\d+.*user/.test(name)));
  await interrupt(running);

  const { url } = await startPage(['explore', stopped]);
  const { page, complaints } = await openPage(browser, url, { viewport: { width: 390, height: 800 } });
  await page.getByRole('link', { name: 'Unfinished (1)' }).click();
  await page.getByRole('heading', { name: /^Persona 1 \d+ answered calls$/ }).waitFor();
  // Several dialogues may have begun; one of them has a reply of its user.
  const reply = page.getByRole('heading', { name: 'Turn 1: user' });
  const sessions = page.locator('.failures a');
  for (let at = 0; (await reply.count()) === 0; at += 1) {
    await sessions.nth(at).click();
    await page.getByRole('heading', { name: 'Turn 1: assistant' }).waitFor();
  }
  await page.locator('.attempts .badge', { hasText: 'counts' }).first().waitFor();
  expect(await listViolations(page)).toEqual([]);
  expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(390);
  expect(complaints).toEqual([]);
});

/** Waits until the run's plan is stored, and returns the folder. */
async function untilPlanned(run: string): Promise<string> {
  await until(() => existsSync(join(run, '.cupid', 'inputs', 'run.json')));
  return run;
}

test('two folders of data are wrong usage', async () => {
  expect(await runLoaded(['explore', out, out])).toMatchObject({
    code: 2,
    stdout: '',
    stderr: expect.stringContaining('contains results, so both would be data'),
  });
});
