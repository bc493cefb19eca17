import { cpSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { extname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Browser, Locator, Page } from 'playwright-core';
import * as z from 'zod';
import { findRunStatistics } from '../../data/run/statistics';
import { openRunStore } from '../../data/store/open-store';
import { createBundledAnswers } from '../../pages/explore/bundled-answers';
import { getMainNumber } from '../../runs/tables/result-cell';
import { findResults } from '../../runs/evaluate/read-results';
import { INSTANCE_TYPES } from '../../schemas/dataset/instance-type';
import { MEASURES } from '../../schemas/evaluation/measure';
import { needing } from '../parts/needing';
import { listen } from '../ports';
import { createTemporaryFolder } from '../temporary-folder';
import { listViolations, openBrowser, openPage, startPage } from '../end-to-end/browser';
import { makeExplored, PLAIN } from '../end-to-end/explored';
import { runLoaded } from '../end-to-end/loaded-command';
import { untilServed } from '../end-to-end/page-requests';
import { endLeftovers, startCommand, until } from '../end-to-end/processes';

const { test } = needing('browser');

const folder = createTemporaryFolder();
const factsSchema = z.object({
  rows: z.array(z.object({ untouched: z.number(), guesses: z.array(z.string()).optional() })),
});
const TITLES = { inference: /^Inference, matched by /, generation: /^Generation, / };

let out: string;
let results: string;
let browser: Browser;

beforeAll(async () => {
  ({ out, results } = await makeExplored(folder));
  browser = await openBrowser();
});

afterEach(endLeftovers);
afterAll(() => browser.close());

/** Lists the exact numbers of a row, which its cells have for programs. */
async function listValues(row: Locator): Promise<number[]> {
  const values = await row.locator('data').all();
  return Promise.all(values.map(async (value) => Number(await value.getAttribute('value'))));
}

test('filter, search, open and follow links, without an error and with nothing that axe objects to', async () => {
  const { url, running } = await startPage(['explore', out, results]);
  const { page, complaints } = await openPage(browser, url);
  const rows = page.locator('.rows a');
  const position = page.locator('.position [role=status]');
  await position.filter({ hasText: '1–6 of 6' }).waitFor();
  expect(page.url()).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/$/);
  expect(await rows.count()).toBe(6);
  expect(await listViolations(page)).toEqual([]);
  expect(await page.getByText('may not fit the texts').count()).toBe(0);

  // The first page says which model is better, with the numbers of results.json, and leads to the instances.
  const cells = (await findResults(results))?.results.cells ?? [];
  for (const task of ['generation', 'inference'] as const) {
    await page.getByRole('tab', { name: task }).click();
    const board = page.getByRole('table', { name: TITLES[task] });
    await board.getByRole('columnheader', { name: 'losses' }).waitFor();
    const titles = await board.locator('thead tr:last-child').getByRole('columnheader').allInnerTexts();
    const own = cells.filter((cell) => cell.task === task);
    expect(await board.locator('tbody tr').count()).toBe(own.length);
    // Values that all rows share are a line, and scores by type are folded.
    await board.getByText('The same in all rows: context full; scored 6; missing 0').waitFor();
    await page.getByText(/^By instance type/).click();
    const types = page.getByRole('table', { name: `${MEASURES[task].title} by instance type` });
    for (const { model, all, by_type } of own) {
      const row = board
        .getByRole('row')
        .filter({ has: page.getByRole('link', { name: model, exact: true }) });
      const shown = await row.getByRole('cell').allInnerTexts();
      const read = (title: string) => shown[titles.indexOf(title) - 1]?.split('\n')[0]?.trim();
      const { format, title } = MEASURES[task];
      expect(read(title)).toBe(format(getMainNumber(all).value));
      expect(await listValues(types.getByRole('row', { name: model }))).toEqual(
        INSTANCE_TYPES.map((type) => getMainNumber(by_type[type]).value),
      );
      if (task === 'inference') {
        const averages = page.getByRole('table', { name: /^Inference, context full/ });
        expect(await listValues(averages.getByRole('row', { name: model }))).toEqual(
          [all, ...INSTANCE_TYPES.map((type) => by_type[type])].flatMap((group) => {
            const { precision, recall, f1 } = group?.inference ?? {};
            return [precision, recall, f1];
          }),
        );
      }
      const compared = ['wins', 'ties', 'losses'].map((name) => Number(read(name)));
      // The best model, or the first of equally good ones, is compared with no other.
      const isBest = shown.some((text) => text === 'best' || text === 'tied');
      expect(compared.reduce((sum, count) => sum + count)).toBe(isBest ? 0 : 6);
    }
  }
  const board = page.getByRole('table', { name: TITLES.inference });
  const scores = async () =>
    (await board.locator('[data-title="F1"]').allInnerTexts()).map((text) => Number.parseFloat(text));
  await board.getByRole('button', { name: 'F1', exact: true }).click();
  await board.getByRole('button', { name: 'F1', exact: true }).click();
  expect(await scores()).toEqual((await scores()).toSorted((one, other) => one - other));
  expect(await board.getByRole('columnheader', { name: 'F1' }).getAttribute('aria-sort')).toBe('ascending');
  await board.locator('[data-title="F1"]').first().getByRole('link').click();
  await page.waitForURL(/sort=score/);
  await page.getByRole('heading', { name: /^6 instances, scores of .*, lowest score first$/ }).waitFor();
  await page.goBack();
  // And whether the data are any good, with the figures of the card.
  const { statistics, figures } = (await findRunStatistics(await openRunStore(out))) ?? {};
  const first = page.getByRole('region', { name: 'Instance' });
  await first.getByText('2 of 2 personas finished, 0 failed').waitFor();
  expect(statistics?.instances).toBe(6);
  const unsatisfied = `${(100 * (figures?.unsatisfiedDialogues?.share ?? Number.NaN)).toFixed(1)} %`;
  const line = first.getByRole('row', { name: 'Dialogues that ended without satisfying the user' });
  expect(await line.innerText()).toContain(unsatisfied);
  await first.getByRole('table', { name: `Verdicts of ${PLAIN}` }).waitFor();
  expect(await page.locator('figure').count()).toBe(0);
  await openCharts(page);
  expect(await listViolations(page)).toEqual([]);
  // The instances behind a figure are those that it counts.
  const { rows: facts } = factsSchema.parse(
    await page.evaluate("fetch('/api/instances').then((answer) => answer.json())"),
  );
  const { coverage, withoutChoice, guesses } = figures ?? {};
  const untouched = facts.reduce((sum, row) => sum + row.untouched, 0);
  expect(untouched).toBe((coverage?.total ?? 0) - (coverage?.count ?? 0));
  expect(untouched).toBeGreaterThan(0);
  expect(facts.filter((row) => row.guesses === undefined)).toHaveLength(withoutChoice?.count ?? 0);
  for (const guess of ['A', 'B', 'C', 'D'] as const) {
    const { share = 0, total = 0 } = guesses?.[guess] ?? {};
    expect(facts.filter((row) => row.guesses?.includes(guess))).toHaveLength(Math.round(share * total));
  }
  await line.getByRole('link').click();
  await page.waitForURL(/failure=unsatisfied/);
  await position.filter({ hasText: / that match|No instance matches/ }).waitFor();
  await page.goBack();
  await position.filter({ hasText: /^1–6 of 6$/ }).waitFor();

  // A score shows whose it is, and one chooses which are shown.
  const badges = rows.first().locator('.badge.score');
  await badges.nth(1).waitFor();
  expect(await badges.allInnerTexts()).toEqual([
    expect.stringMatching(/^simulated:default\?malformed=0\.1: F1 /),
    expect.stringMatching(/^simulated:default\?malformed=0\.02: F1 /),
  ]);
  await page.getByText('Filters and order').click();
  await page.getByText('Scores in the list').click();
  const choices = page.getByRole('group', { name: /^Choose models/ }).getByRole('checkbox');
  expect(await choices.count()).toBe(4);
  await choices.nth(3).check();
  await badges.filter({ hasText: '/10' }).waitFor();
  expect(await badges.count()).toBe(1);
  await choices.nth(1).check();
  await page.waitForURL(/columns=[0-9a-f]{8}\.[0-9a-f]{8}/);
  const chosenColumns = new URL(page.url()).searchParams.get('columns');
  expect(await badges.count()).toBe(2);

  await page
    .getByRole('group', { name: /^Score of / })
    .getByRole('spinbutton')
    .first()
    .waitFor();
  await page.getByRole('combobox', { name: /, compared with / }).selectOption('better');
  await page.waitForURL(/outcome=win/);
  await position.filter({ hasText: / that match|No instance matches/ }).waitFor();
  await page.getByRole('button', { name: / is better than / }).click();
  await position.filter({ hasText: '1–6 of 6' }).waitFor();
  expect(new URL(page.url()).searchParams.get('columns')).toBe(chosenColumns);
  for (const number of [3, 1]) await choices.nth(number).uncheck();
  await page.getByRole('combobox', { name: 'Type', exact: true }).selectOption('changing');
  await position.filter({ hasText: '1–2 of 2 that match' }).waitFor();
  expect(page.url()).toContain('type=changing');

  await rows.first().click();
  const article = page.getByRole('article');
  await article.getByRole('heading', { name: 'Prior sessions' }).waitFor();
  const sessions = article.getByRole('navigation', { name: 'Prior sessions' }).getByRole('link');
  expect(await sessions.count()).toBe(8);
  expect(await article.locator('.sessions .relevant').count()).toBe(2);
  expect(await article.locator('.sessions .other-preference').count()).toBe(2);
  // The page must be readable without colors, too.
  const lines = `[...new Set([...document.querySelectorAll('.sessions a')].map((one) => {
    const { borderBottomStyle: style, borderBottomWidth: width } = getComputedStyle(one);
    return one.className + ' ' + style + ' ' + width;
  }))].sort()`;
  expect(await page.evaluate(lines)).toEqual([
    'other solid 1px',
    'other-preference dashed 4px',
    'relevant solid 4px',
  ]);

  // The first relevant session: a dialogue with the user's scores, the items raised, and the models that answered.
  await article
    .locator('.messages .badge', { hasText: /^score \d+\/10$/ })
    .first()
    .waitFor();
  expect(await article.locator('.messages .badge', { hasText: /^score 10\/10$/ }).count()).toBe(1);
  await sessions.nth(0).click();
  await article.getByRole('heading', { name: 'Session 1 of 8' }).waitFor();
  expect(page.url()).toContain('s=1');

  // Results of two models side by side, the verifier's evidence, and their origins.
  expect(await article.locator('.result').count()).toBe(2);
  await article.getByText('True items in the inferred preference').first().waitFor();
  await article.getByRole('combobox', { name: 'Left' }).selectOption({ index: 1 });
  await article.getByText('The judge’s analysis').first().waitFor();
  expect(await article.getByRole('heading', { name: /^Verification/ }).count()).toBe(1);
  expect(await article.locator('blockquote').count()).toBeGreaterThan(0);
  await article
    .getByText(/first expressed in session \d+, message \d+/)
    .first()
    .waitFor();
  await article.getByText(/^Cost of the persona$/).waitFor();
  expect(await listViolations(page)).toEqual([]);

  // The link of a view shows the same view, after a reload too.
  const heading = await article.getByRole('heading', { level: 1 }).innerText();
  const address = page.url();
  await page.reload();
  expect(await article.getByRole('heading', { level: 1 }).innerText()).toBe(heading);
  await article.getByRole('heading', { name: 'Session 1 of 8' }).waitFor();
  await page.goBack();
  await article.getByRole('heading', { name: /^Session [2-8] of 8/ }).waitFor();
  expect(page.url()).not.toBe(address);

  await page.getByRole('button', { name: 'Remove: type: changing' }).click();
  await page.getByRole('searchbox', { name: 'Search in messages' }).fill('no such words anywhere');
  await page.getByText('No instance matches.').waitFor();
  // A link from a time with more instances.
  await page.goto(new URL('/?from=900', page.url()).href);
  await page.getByText(/^The list ends at \d+\.$/).waitFor();
  await page.getByRole('link', { name: 'Previous' }).click();
  await page.locator('.rows a').first().waitFor();
  expect(complaints).toEqual([]);

  running.child.kill('SIGINT');
  expect((await running.ended).code).toBe(0);
});

test('a bundle answers as the server does, below the root of a plain server', async () => {
  const bundle = join(folder, 'bundle');
  const args = ['explore', out, results, '--bundle'];
  const { code, stdout } = await runLoaded([...args, bundle]);
  expect({ code, stdout }).toEqual({
    code: 0,
    stdout: expect.stringContaining('Wrote 6 instances (simulated)'),
  });
  // The same bytes again, and never over files of others.
  const again = join(folder, 'bundle-again');
  expect((await runLoaded([...args, again])).code).toBe(0);
  const files = listBundle(bundle);
  expect(listBundle(again)).toEqual(files);
  const refused = await runLoaded([...args, bundle]);
  expect(refused.code).toBe(2);
  expect(refused.stderr).toContain('is not empty');
  expect(files.get('README.md')).toContain('\nsdk: static\n');

  const live = startCommand(['explore', out, results]);
  const ask = await untilServed(live);
  const answer = createBundledAnswers(async (file) => JSON.parse(files.get(file) ?? ''));
  await until(async () => (await ask?.('/api/progress'))?.includes('"reading":false') === true);
  const list = instancePageSchema.parse(await answer('/api/instances?'));
  const { persona = '', type = '' } = list.rows[0] ?? {};
  const { columns } = explorationSchema.parse(await answer('/api/about'));
  const ids = columns.slice(0, 3).map(({ id }) => id);
  const paths = [
    'about',
    'summary',
    'leaderboards',
    'analyses',
    'charts',
    'costs',
    'failures',
    'missing',
    'unfinished',
    'instances?',
    'instances?from=4',
    'instances?type=changing&sort=length',
    'instances?sort=disagreement',
    'instances?verdict=accepted',
    'instances?q=THE',
    'instances?q=no+such+words',
    `instances?columns=${ids[2]}.${ids[0]}&sort=score&minScore=0.1`,
    `instances?columns=${ids[0]}.${ids[2]}&sort=disagreement&outcome=loss`,
    ...list.rows.map((row) => `instance?${new URLSearchParams(row).toString()}`),
    ...[1, 2, 3, 4, 5].map((session) => `dialogue?persona=1&session=${session}`),
  ];
  for (const path of paths) {
    const served: unknown = JSON.parse((await ask?.(`/api/${path}`)) ?? '');
    expect({ path, answer: withoutVersions(await answer(`/api/${path}`)) }).toEqual({
      path,
      answer: withoutVersions(served),
    });
  }

  const fromDisk = await openPage(browser, pathToFileURL(join(bundle, 'index.html')).href);
  await fromDisk.page.getByText('python3 -m http.server').waitFor();

  const server = createServer(({ url = '' }, response) => {
    const name = new URL(url, 'http://bundle').pathname.replace('/some/path/', '') || 'index.html';
    const content = files.get(name);
    const served = { '.html': 'text/html', '.js': 'text/javascript', '.css': 'text/css' }[extname(name)];
    response.writeHead(content === undefined ? 404 : 200, { 'Content-Type': served ?? 'application/json' });
    response.end(content);
  });
  const port = await listen(server);
  try {
    const { page, complaints } = await openPage(browser, `http://127.0.0.1:${port}/some/path/`);
    const position = page.locator('.position [role=status]');
    await position.filter({ hasText: '1–6 of 6' }).waitFor();
    expect(await page.getByText('python3 -m http.server').count()).toBe(0);
    await page.getByText('simulated', { exact: true }).waitFor();
    await page.getByRole('table', { name: TITLES.inference }).waitFor();
    await openCharts(page);
    expect(await listViolations(page)).toEqual([]);
    await page.getByText('Filters and order').click();
    await page.getByRole('combobox', { name: 'Type', exact: true }).selectOption('changing');
    await position.filter({ hasText: '1–2 of 2 that match' }).waitFor();
    await page.getByRole('searchbox', { name: 'Search in messages' }).fill('no such words anywhere');
    await page.getByText('No instance matches.').waitFor();
    await page.goto(
      `http://127.0.0.1:${port}/some/path/?${new URLSearchParams({ instance: persona, 'type-of': type }).toString()}`,
    );
    const article = page.getByRole('article');
    await article
      .locator('.messages .badge', { hasText: /^score \d+\/10$/ })
      .first()
      .waitFor();
    await article.getByRole('navigation', { name: 'Prior sessions' }).getByRole('link').first().click();
    expect(page.url()).toContain('/some/path/?instance=');
    expect(await listViolations(page)).toEqual([]);
    expect(complaints).toEqual([]);
  } finally {
    server.close();
    server.closeAllConnections();
  }
});

test('a bundle without a file that cannot be read is not written', async () => {
  const damaged = join(folder, 'damaged');
  cpSync(results, damaged, { recursive: true });
  writeFileSync(join(damaged, 'results.parquet'), 'PAR1');
  const bundle = join(folder, 'bundle-of-damaged');
  const { code, stderr } = await runLoaded(['explore', out, damaged, '--bundle', bundle]);
  expect({ code, stderr }).toEqual({
    code: 1,
    stderr: expect.stringMatching(
      /would be incomplete:\n.*damaged\/results\.parquet is not what the run wrote/,
    ),
  });
  expect(readdirSync(folder)).not.toContain('bundle-of-damaged');
});

/** Unfolds the scores, whose charts are drawn then. */
async function openCharts(page: Page): Promise<void> {
  await page.getByText('Scores as charts', { exact: true }).click();
  await page.getByRole('img', { name: /^Inference, .* \(figure 8\)/ }).waitFor();
}

/** Reads the files of a bundle by their paths. */
function listBundle(bundle: string): ReadonlyMap<string, string> {
  const names = readdirSync(bundle, { recursive: true, encoding: 'utf8' }).toSorted();
  const files = names.filter((name) => statSync(join(bundle, name)).isFile());
  return new Map(files.map((name) => [name, readFileSync(join(bundle, name), 'utf8')]));
}

const explorationSchema = z.object({ columns: z.array(z.object({ id: z.string() })) });
const instancePageSchema = z.object({ rows: z.array(z.object({ persona: z.string(), type: z.string() })) });

/** Removes the versions of an answer: a bundle has one, and the server counts what it has read. */
function withoutVersions(answer: unknown): unknown {
  const text = JSON.stringify(answer, (key, value: unknown) => (key === 'version' ? undefined : value));
  return JSON.parse(text);
}

test('when files change, the page says so, and shows their new state as a whole', async () => {
  // Copies of the files alone, as somebody sends them: no run names their hashes.
  const shown = join(folder, 'shown');
  const better = join(folder, 'better');
  const models = ['--model', PLAIN, '--model', 'simulated:hasty', '--evaluator', PLAIN];
  const evaluated = await runLoaded(['eval', '--results-dir', better, '--data', out, ...models]);
  expect(evaluated.code).toBe(0);
  mkdirSync(shown);
  for (const name of ['results.json', 'results.parquet']) cpSync(join(results, name), join(shown, name));
  const { url } = await startPage(['explore', out, shown]);
  const [{ page, complaints }, { page: otherPage }] = [
    await openPage(browser, url),
    await openPage(browser, url),
  ];
  const losses = page.getByRole('columnheader', { name: 'losses' }).first();
  await losses.waitFor();
  const change = page.getByText('The files have changed since this page was opened.');
  const tables = page.getByRole('region', { name: 'Instance', exact: true });
  const state = page.getByText(/^state [0-9a-f]{12}$/);
  /** Reads the overview once its last answers have come. */
  const readOverview = async () => {
    await losses.waitFor();
    await page.getByRole('link', { name: 'Instances whose scores differ most' }).waitFor();
    await page.getByRole('table', { name: /^Cost of / }).waitFor();
    return [await tables.innerText(), await state.innerText()];
  };
  const before = await readOverview();
  expect(await change.count()).toBe(0);

  for (const name of ['results.json', 'results.parquet']) cpSync(join(better, name), join(shown, name));
  await change.waitFor();
  expect(await listViolations(page)).toEqual([]);
  // All views still show the earlier state.
  await page.getByRole('link', { name: 'Instances', exact: true }).click();
  await page.locator('.rows .badge.score', { hasText: 'malformed=0.02' }).first().waitFor();
  await page.getByRole('link', { name: 'Overview' }).click();
  expect(await readOverview()).toEqual(before);
  expect(before[0]).not.toContain('simulated:hasty');

  await page.getByRole('button', { name: 'Show the new state' }).click();
  await tables.getByRole('link', { name: 'simulated:hasty' }).first().waitFor();
  await losses.waitFor();
  expect(await tables.innerText()).not.toContain('malformed=0.02');
  expect(await state.innerText()).not.toBe(before[1]);
  expect(await change.count()).toBe(0);
  expect(complaints).toEqual([]);
  // Another page of the earlier state mixes none of the new answers into it.
  await otherPage.getByRole('link', { name: 'Failures' }).click();
  await otherPage.getByText('This page shows an earlier state of the files.').waitFor();
  await otherPage.getByRole('button', { name: 'Show the new state' }).click();
  await otherPage.getByText('This page shows an earlier state of the files.').waitFor({ state: 'detached' });
  await otherPage.getByRole('heading', { name: 'Failures' }).waitFor();
});

test('a link that leads to nothing and a request that fails say so, with a way back', async () => {
  const { url, running } = await startPage(['explore', out, results]);
  const { page } = await openPage(browser, url);
  const rows = page.locator('.rows a');
  await rows.first().waitFor();
  const alert = page.getByRole('alert');
  const follow = async (link: string) => page.goto(new URL(link, page.url()).href);

  await follow('/?instance=9%2Bnobody&type-of=changing');
  await alert.filter({ hasText: 'There is no instance 9+nobody, changing here.' }).waitFor();
  expect(await listViolations(page)).toEqual([]);
  await page.getByRole('link', { name: 'Back to the list' }).click();
  await page.getByText('Choose an instance to read').waitFor();

  await follow('/?view=charts');
  await alert.filter({ hasText: 'This link names a view that does not exist: charts.' }).waitFor();
  expect(await listViolations(page)).toEqual([]);
  await page.getByRole('link', { name: 'Show the overview' }).click();
  await page.getByText('Choose an instance to read').waitFor();

  await follow('/?view=failures&work=9%2Fs9');
  await alert.filter({ hasText: '9/s9 is not among the failures.' }).waitFor();
  await page.getByRole('link', { name: 'Show all failures' }).click();
  await alert.waitFor({ state: 'detached' });

  await follow('/?columns=7.9&outcome=loss');
  await alert.filter({ hasText: 'This link names scores that are not here: 7, 9.' }).waitFor();
  await page.locator('.position', { hasText: '1–6 of 6' }).waitFor();
  expect(await listViolations(page)).toEqual([]);
  await page.getByRole('link', { name: 'Remove them from the link' }).click();
  await alert.waitFor({ state: 'detached' });
  expect(page.url()).not.toContain('columns=');

  expect((await follow('/no/such/page'))?.status()).toBe(404);
  await page.getByText('There is no such page.').waitFor();
  await page.getByRole('link', { name: 'Open the first page' }).click();
  await rows.first().click();
  await page.getByRole('article').waitFor();
  const instance = page.url();
  await follow(`${instance}&s=99`);
  await alert
    .filter({ hasText: 'This link names session 99, and the instance has 8 prior sessions.' })
    .waitFor();
  await page.getByRole('link', { name: /^Go on with session \d$/ }).click();
  await alert.waitFor({ state: 'detached' });
  await follow(`${instance}&s=2&m=99`);
  await alert
    .filter({ hasText: /^This link names message 99, and the session has \d+ messages\.$/ })
    .waitFor();

  // A verdict names its source, and an item leads to the message that expresses it, which is marked.
  await follow(instance);
  await page
    .getByRole('article')
    .getByText(/^model: (accepted|rejected|undecided)$/)
    .first()
    .waitFor();
  const expressed = page.getByRole('link', { name: /^first expressed in session \d+, message \d+$/ }).first();
  const [, session, message] = /session (\d+), message (\d+)/.exec(await expressed.innerText()) ?? [];
  await expressed.click();
  await page.getByRole('heading', { name: `Session ${session} of 8` }).waitFor();
  const marked = page.locator('.messages > li[aria-current]:focus');
  await marked.getByText(`message ${message}`, { exact: true }).waitFor();
  await marked.getByText('first expresses:').first().waitFor();
  expect(await page.locator('.messages > li[aria-current]').count()).toBe(1);
  expect(await listViolations(page)).toEqual([]);

  running.child.kill('SIGINT');
  await running.ended;
  await rows.nth(1).click();
  await alert.filter({ hasText: 'cupid does not answer. Start the command again' }).first().waitFor();
  await page.getByRole('button', { name: 'Try again' }).first().waitFor();
  await page.getByRole('link', { name: 'Back to the list' }).waitFor();
});

test('texts of models stay texts, whatever they hold', async () => {
  const hostile = [
    '<script>document.title = "run"</script><img src=x onerror="document.title=\'run\'">',
    '<style>body{display:none}</style><a href="javascript:alert(1)">click</a> [link](javascript:alert(1)) **bold**',
    'abc\u202Edef\u0000\u001B[31mred\u200B\uFEFF',
    '</bdi></p></main><h1>not a heading</h1>',
  ];
  const data = join(folder, 'hostile.jsonl');
  const [script = '', style = '', controls = '', tags = ''] = hostile;
  const instance = {
    persona_id: `1+${script}\u202E`,
    instance_type: 'consistent',
    current_request: hostile.join('\n'),
    current_context_factor: tags,
    current_contextual_preference: style,
    current_checklist: hostile,
    prior_interactions: hostile.map((text) => ({
      context_factor: tags,
      contextual_preference: style,
      dialogue: ['user', 'assistant'].map((role) => ({ role, content: text })),
    })),
  };
  writeFileSync(data, `${JSON.stringify(instance)}\n`);
  const { url } = await startPage(['explore', data]);
  const { page, complaints } = await openPage(browser, url);
  await page.locator('.rows a').click();
  await page.getByRole('heading', { name: 'Session 1 of 4' }).waitFor();
  for (const number of [1, 2, 3, 4]) {
    await page
      .locator('.sessions a')
      .nth(number - 1)
      .click();
    await page.getByRole('heading', { name: `Session ${number} of 4` }).waitFor();
  }
  const shown = await page.locator('.messages .long').first().innerText();
  expect(shown).toBe(tags);
  await page.locator('.sessions a').nth(2).click();
  await page.getByRole('heading', { name: 'Session 3 of 4' }).waitFor();
  expect(await page.locator('.messages .long').first().innerText()).toBe(
    'abcU+202EdefU+0000U+001B[31mredU+200BU+FEFF',
  );
  expect(controls).toContain('\u202E');
  expect(await page.title()).toBe(`1+${script}U+202E – cupid explore`);
  // None of it became an element.
  expect(await page.locator('main script, main style, main img, main a[href^="javascript"]').count()).toBe(0);
  expect(await page.getByRole('heading', { name: 'not a heading', exact: true }).count()).toBe(0);
  expect(complaints).toEqual([]);
});
