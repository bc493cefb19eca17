import { createHash } from 'node:crypto';
import { openPen, type Pen } from '../../../../pages/charts/drawing';
import { reportEvaluation } from '../../../../pages/report/evaluation-report';
import { renderPage } from '../../../../pages/report/page';
import { expectGolden } from '../../../golden';
import { listTableRows, omitIsolation } from '../../../page-tables';
import { buildRows, buildStored } from '../../runs/tables/results';

let pen: Pen;
beforeAll(async () => {
  pen = await openPen();
});

const render = async (stored = buildStored(buildRows())) =>
  omitIsolation(
    renderPage({ title: 'Evaluation test', ...(await reportEvaluation(pen, stored, 'results')) }),
  );

test('every number of a chart is one of results.json, to the last digit, in the table and in the file', async () => {
  const stored = buildStored(buildRows());
  // The difference of A to B is stored, or that of B to A.
  const known = new Set(
    listNumbers(JSON.parse(JSON.stringify(stored.results))).flatMap((value) => [value, -value]),
  );
  const scores = buildRows().flatMap(({ f1, score }) => [f1, score]);
  for (const score of scores) if (score !== null) known.add(score);
  const page = await render(stored);
  const shown = [...page.matchAll(/<data value="(?<value>[^"]*)">/g)].map(({ groups }) =>
    Number(groups?.['value']),
  );
  expect(shown.length).toBeGreaterThan(100);
  expect(shown.filter((value) => !known.has(value))).toEqual([]);
  const files = [...page.matchAll(/href="data:text\/csv;charset=utf-8,(?<csv>[^"]*)"/g)].map(({ groups }) =>
    decodeURIComponent(groups?.['csv'] ?? ''),
  );
  expect(files.length).toBeGreaterThan(8);
  const cells = files.flatMap((file) =>
    file
      .split('\r\n')
      .slice(1)
      .flatMap((line) => line.split(',')),
  );
  const numbers = cells.filter((cell) => cell !== '' && Number.isFinite(Number(cell))).map(Number);
  expect(numbers.filter((value) => !known.has(value))).toEqual([]);
});

test('every number of a table is one of results.json, rounded', async () => {
  const stored = buildStored(buildRows());
  const page = await render(stored);
  const known = new Set(
    listNumbers(JSON.parse(JSON.stringify(stored.results))).flatMap((value) => [
      `${Math.abs(value)}`,
      ...[1, 2, 3].map((digits) => Math.abs(value).toFixed(digits)),
      (100 * Math.abs(value)).toFixed(1),
    ]),
  );
  const tables = page
    .replaceAll(/<details>[^]*?<\/details>/g, '')
    .replaceAll(/<article>[^]*?<\/article>/g, '');
  const shown = listTableRows(tables).flatMap(([, ...cells]) =>
    cells.flatMap((cell) => (/[a-z]/.test(cell) ? [] : (cell.match(/\d+(?:\.\d+)?/g) ?? []))),
  );
  expect(shown.length).toBeGreaterThan(300);
  expect(shown.filter((number) => !known.has(number))).toEqual([]);
});

test('the page has a chart for each figure of the paper, for judges and for differences, and says what the paper found', async () => {
  const page = await render();
  const outline = page.matchAll(/(?<title>[^<>]*)<\/h2>|<figcaption><strong>(?<figure>[^<]*)/g);
  const lines = [...outline].map(({ groups }) => groups?.['title']?.trim() ?? `  ${groups?.['figure']}`);
  expectGolden('report-outline.txt', `${lines.join('\n')}\n`);
  const compared = 'simulated:judge and simulated:strict';
  for (const text of ['(section 4.2.1)', '(F.4)', '(F.5)', compared]) expect(page).toContain(text);
});

test('what a model answered without any history has marks in the charts', async () => {
  const rows = buildRows();
  const page = await render(
    buildStored([...rows, ...rows.map((row) => ({ ...row, context: 'none' as const }))]),
  );
  const [chart = ''] = /Generation, judged by [^]*?<details>/.exec(page) ?? [];
  for (const context of ['full', 'none']) expect(chart).toContain(`>context ${context}</text>`);
});

test('an instance has a link to the explorer, and the command that serves it stands beside', async () => {
  const page = await render();
  expect(page).toContain('<code>cupid explore results --port 4747</code>');
  const links = [...page.matchAll(/href="http:\/\/127\.0\.0\.1:4747\/\?(?<query>[^"]*)"/g)];
  expect(links).toHaveLength(10);
  const [first] = links.map(({ groups }) => new URLSearchParams(groups?.['query']?.replaceAll('&amp;', '&')));
  expect(first?.get('instance')).toMatch(/^\d+\+teacher$/);
  expect(first?.get('type-of')).toMatch(/^(consistent|contrastive|changing)$/);
});

test('missing scores are named with their instance, model and cause', async () => {
  const [row, ...rows] = buildRows();
  if (row === undefined) throw new Error('There are no rows.');
  const missing = { ...row, state: 'missing' as const, f1: null, missing_step: 'match' as const };
  const page = await render(buildStored([missing, ...rows], { missing_cause: 'no <usable> answer' }));
  expect(page).toContain('Missing scores</h2>');
  const cells = ['0+teacher', 'consistent', row.model, 'inference', 'full', 'match', 'no &lt;usable> answer'];
  expect(listTableRows(page)).toContainEqual(cells);
  expect(page).toContain('cupid retry results');
  expect(await render()).not.toContain('Missing scores</h2>');
});

test("the paper's numbers stand beside one's own only where the set-up is the paper's", async () => {
  expect(await render()).not.toContain('Claude 3.7 Sonnet (paper)');
  expect(await render(buildStored(buildRows(), {}, true))).toContain('Claude 3.7 Sonnet (paper)');
});

test('a simulated model is labeled at the top and in the title', async () => {
  const page = await render();
  expect(page).toContain('<title>[simulated] Evaluation test</title>');
  expect(page.indexOf('<strong>Simulated.</strong>')).toBeLessThan(page.indexOf('<main>'));
});

test('what models and data say is text: no markup, no script, no control character', async () => {
  const attack = `</blockquote><script>alert(1)</script><img src=x onerror="alert(1)"> [x](javascript:alert(1)) ' \u001B[2J\u202Eabc`;
  const rows = buildRows().map((row) => ({
    ...row,
    persona_id: `${row.persona_id}${attack}`,
    model: `${row.model}${attack}`,
  }));
  const page = await render(
    buildStored(rows, {
      current_request: attack,
      true_preference: attack,
      inferred_preference: attack,
      response: attack,
      analysis: attack,
    }),
  );
  expect(page).not.toMatch(/<script|<img|<\/blockquote><script/i);
  expect(page).not.toMatch(/(?!\n)[\p{Cc}\p{Bidi_Control}]/u);
  expect(page).toContain('&lt;script>alert(1)');
  expect(page).toContain('<span class="control">U+001B</span>[2J<span class="control">U+202E</span>abc');
  const tags = page.replaceAll(/"[^"]*"/g, '""').match(/<[^>]*>/g) ?? [];
  expect(tags.filter((tag) => /\son\w+=/.test(tag))).toEqual([]);
});

test('the page loads and runs nothing, and its policy allows its own style sheet', async () => {
  const page = await render();
  const style = /<style>(?<style>[^<]*)<\/style>/.exec(page)?.groups?.['style'] ?? '';
  const hash = createHash('sha256').update(style).digest('base64');
  expect(page).toContain(
    `content="default-src 'none'; style-src 'sha256-${hash}'; base-uri 'none'; form-action 'none'"`,
  );
  const found =
    /<script|<link|@import|url\(|\sstyle="|\shref="(?!#|data:text\/csv|http:\/\/127\.0\.0\.1:\d+\/\?instance=)/.exec(
      page,
    );
  expect(found).toBeNull();
});

test('the same results give the same bytes', async () => {
  expect(await render()).toBe(await render());
});

function listNumbers(value: unknown): number[] {
  if (typeof value === 'number') return [value];
  if (typeof value !== 'object' || value === null) return [];
  return Object.values(value).flatMap(listNumbers);
}
