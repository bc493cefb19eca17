import { join } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { writeComparisons } from '../../runs/tables/comparisons';
import { findResults } from '../../runs/evaluate/read-results';
import { needing } from '../parts/needing';
import { createTemporaryFolder } from '../temporary-folder';
import { listViolations, openBrowser, openPage, startPage } from './browser';
import { PLAIN } from './explored';
import { runLoaded } from './loaded-command';
import { endLeftovers } from './processes';

const { test } = needing('browser');

const folder = createTemporaryFolder();
const [out, results] = [join(folder, 'out'), join(folder, 'results')];
const [CAREFUL, HASTY] = ['simulated:careful', 'simulated:hasty'];
let browser: Browser;

beforeAll(async () => {
  const models = ['--model', CAREFUL, HASTY];
  for (const args of [
    ['synth', '--output-dir', out, '--n-personas=2', '--model', PLAIN],
    ['eval', '--results-dir', results, '--data', out, '--task=both', ...models, '--evaluator', PLAIN],
    ['eval', '--results-dir', results, '--data', out, '--task=choice', ...models],
  ]) {
    const { code, stderr } = await runLoaded(args);
    expect({ code, stderr: code === 0 ? '' : stderr }).toEqual({ code: 0, stderr: '' });
  }
  browser = await openBrowser();
});

afterEach(endLeftovers);
afterAll(() => browser.close());

/** Returns how many of the chosen elements overlap what the browser shows. */
async function countVisible(page: Page, selector: string): Promise<number> {
  const count: unknown = await page.evaluate(
    `[...document.querySelectorAll(${JSON.stringify(selector)})].filter((element) => {
      const { top, bottom, height } = element.getBoundingClientRect();
      return height > 0 && top >= 0 && bottom <= innerHeight;
    }).length`,
  );
  return Number(count);
}

test.each([
  { width: 1400, height: 900, colorScheme: 'light' },
  { width: 390, height: 844, colorScheme: 'dark' },
] as const)(
  'sentences, tabs and explanations lead to instances under a sentence, $width pixels wide',
  async ({ colorScheme, ...viewport }) => {
    const { url } = await startPage(['explore', out, results]);
    const { page, complaints } = await openPage(browser, url, { viewport, colorScheme, hasTouch: true });
    const stored = await findResults(results);
    const sentences = writeComparisons(stored === undefined ? [] : [stored.results]);
    await page.getByRole('link', { name: sentences[0]?.text ?? '', exact: true }).waitFor();
    expect(await page.locator('.comparisons li').allInnerTexts()).toEqual(sentences.map(({ text }) => text));
    expect(sentences[0]?.text).toContain(`${CAREFUL} is better than ${HASTY} at inference, context full: `);
    expect(await countVisible(page, '.comparisons li')).toBe(sentences.length);
    expect(await listViolations(page)).toEqual([]);

    // The keys of tabs, and a table for the chosen one only.
    const tab = page.getByRole('tab', { selected: true });
    await tab.focus();
    for (const name of ['Generation', 'Choice', 'Inference']) {
      await page.keyboard.press('ArrowRight');
      await page.getByRole('tab', { name, selected: true }).and(page.locator(':focus')).waitFor();
      await page
        .getByRole('tabpanel', { name })
        .getByRole('table', { name: new RegExp(`^${name}`) })
        .first()
        .waitFor();
    }
    await page.keyboard.press('End');
    await page.waitForURL(/board=choice/);
    const panel = page.getByRole('tabpanel', { name: 'Choice' });
    expect(await panel.locator('.cards tbody tr').count()).toBe(2);
    expect(await panel.locator('.bar .chance').count()).toBe(4);
    await page.keyboard.press('Home');

    // An explanation opens by key and by touch.
    const explain = page.getByRole('button', { name: 'About F1', exact: true });
    const explanation = page.getByText('Harmonic mean of precision and recall over all');
    await explain.focus();
    await page.keyboard.press('Enter');
    await explanation.waitFor();
    expect(await listViolations(page)).toEqual([]);
    await page.keyboard.press('Escape');
    await explanation.waitFor({ state: 'hidden' });
    expect(await explain.evaluate((element) => element.matches(':focus'))).toBe(true);
    await explain.tap();
    await explanation.waitFor();
    await page.keyboard.press('Escape');
    await page.getByText('By instance type, with precision and recall').click();
    await page.getByRole('columnheader', { name: 'All', exact: true }).first().waitFor();

    // Each leaderboard fits beside the list, or on a narrow page as a card for each model.
    const board = page.getByRole('tabpanel').locator('.scroll').first();
    for (const name of ['Generation', 'Choice', 'Inference']) {
      await page.getByRole('tab', { name }).click();
      await page.getByRole('tabpanel', { name }).waitFor();
      const overflow = await board.evaluate((element) => element.scrollWidth - element.clientWidth);
      expect({ name, overflow }).toEqual({ name, overflow: 0 });
    }

    // A number leads to its instances, below a sentence.
    const row = board.getByRole('row').filter({ has: page.getByRole('link', { name: HASTY, exact: true }) });
    const losses = row.locator('[data-title="losses"]').getByRole('link');
    const count = await losses.innerText();
    // While the list loads, no sentence claims another number for it.
    const early: string[] = [];
    await page.route(/\/api\/instances\?.*outcome=loss/, async (route) => {
      early.push(await page.locator('.list-heading').innerText());
      await route.continue();
    });
    await losses.click();
    const sentence = `${count} instances on which ${HASTY} is worse than ${CAREFUL}, most disagreement first`;
    await page.getByRole('heading', { name: sentence, level: 1 }).waitFor();
    expect(early[0]).toMatch(/^6 instances(?! on which)/);
    expect(await page.locator('.rows a').count()).toBe(Number(count));
    expect(await countVisible(page, '.rows li:first-child a')).toBe(1);
    expect(await page.getByRole('combobox', { name: 'Order' }).isVisible()).toBe(false);
    expect(await listViolations(page)).toEqual([]);

    // Somebody else sees the same.
    const shown = await page.locator('main').innerText();
    const { page: second } = await openPage(browser, url, { viewport });
    await second.goto(page.url());
    await second.getByRole('heading', { name: sentence }).waitFor();
    expect(await second.locator('main').innerText()).toBe(shown);

    // A list without a chip is wider.
    await page.getByRole('combobox', { name: 'Type', exact: true }).waitFor({ state: 'hidden' });
    await page.getByText('Filters and order').click();
    await page.getByRole('combobox', { name: 'Type', exact: true }).selectOption('changing');
    const chips = page.getByRole('list', { name: 'Filters' }).getByRole('button');
    await page.getByRole('heading', { name: ' of type changing, on which ' }).waitFor();
    expect(await chips.allInnerTexts()).toEqual([
      'type: changing',
      `${HASTY} is worse than ${CAREFUL}`,
      'most disagreement first',
      'Clear all filters',
    ]);
    await page.getByRole('button', { name: 'Remove: type: changing' }).click();
    await page.getByRole('heading', { name: sentence }).waitFor();
    await page.getByRole('button', { name: 'Clear all filters' }).click();
    await page.getByRole('heading', { name: /^6 instances, / }).waitFor();

    // A search from the overview shows its list from the top, however far down the search field was.
    await page.goto(new URL('/', page.url()).href);
    await page.getByRole('tab').first().waitFor();
    await page.getByRole('searchbox', { name: 'Search in messages' }).fill('e');
    await page.getByRole('heading', { name: '6 instances with “e” in a message', level: 1 }).waitFor();
    expect(await countVisible(page, '.list-heading h1')).toBe(1);
    expect(complaints).toEqual([]);
  },
);

test('the costs of several models have a total', async () => {
  const { url } = await startPage(['explore', results]);
  const { page } = await openPage(browser, url);
  const costs = page.getByRole('table', { name: /^Cost of / });
  await costs.getByRole('row', { name: /^total / }).waitFor();
});
