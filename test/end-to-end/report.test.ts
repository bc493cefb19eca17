import { copyFile, mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Browser } from 'playwright-core';
import { readInstances } from '../../data/sets/read';
import { openData } from '../../data/sets/open';
import { getSplit } from '../../data/sets/persona-split';
import { needing } from '../parts/needing';
import { createTemporaryFolder } from '../temporary-folder';
import { collect } from '../unit/data/sets/instances';
import { listViolations, openBrowser, openPage } from './browser';
import { runLoaded } from './loaded-command';
import { RESULTS_FORMAT } from '../../schemas/evaluation/results';
import { listTableRows, omitIsolation } from '../page-tables';

const folder = createTemporaryFolder();
const RUN = join(folder, 'run');
const RESULTS = join(folder, 'results');
const MODEL = 'simulated:default?malformed=0.1';

beforeAll(async () => {
  const synth = await runLoaded(['synth', '--output-dir', RUN, '--model', MODEL, '--n-personas', '3']);
  expect(synth).toMatchObject({ code: 0 });
  const verify = await runLoaded(['verify', RUN, '--model', 'simulated:default', '--no-check']);
  expect(verify.code).not.toBe(1);
  const models = [
    '--model',
    'simulated:default',
    'simulated:default?malformed=0.02',
    '--evaluator=simulated:default',
  ];
  const evaluate = await runLoaded([
    'eval',
    `--results-dir=${RESULTS}`,
    `--data=${RUN}`,
    '--task=both',
    ...models,
  ]);
  expect(evaluate).toMatchObject({ code: 0 });
});

/** Writes the page about some folders, checks the output of the command, and returns the page. */
async function report(...args: string[]): Promise<string> {
  const out = join(folder, 'page.html');
  const { code, stdout, stderr } = await runLoaded(['report', ...args, '--out', out]);
  expect({ code, stderr }).toEqual({ code: 0, stderr: expect.not.stringMatching(/^cupid: /m) });
  expect(stdout).toMatch(/page\.html {2}[\d.]+ [kM]B/);
  return omitIsolation(await readFile(out, 'utf8'));
}

test('a synthesis run: the statistics of its card, types, turns, quality, verification, errors', async () => {
  const page = await report(RUN);
  const card = await readFile(join(RUN, 'CUPID-Unverified', 'README.md'), 'utf8');
  const rows = [...card.matchAll(/^\| (?<name>[^|]+) \| (?<here>[\d.,]+) \| (?<paper>[\d.,]+) \|$/gm)];
  expect(rows.length).toBeGreaterThan(5);
  for (const { groups } of rows) {
    const { name = '', here = '', paper = '' } = groups ?? {};
    expect(listTableRows(page)).toContainEqual([name, here, paper]);
  }
  const figures = [
    ...card.matchAll(/^\| (?<name>Choices where [^|]+) \| (?<here>[^|]+) \| (?<basis>[^|]+) \|$/gm),
  ];
  expect(figures).toHaveLength(7);
  for (const { groups } of figures) {
    const { name = '', here = '', basis = '' } = groups ?? {};
    // A page has the interval beside the number, without brackets.
    expect(listTableRows(page)).toContainEqual([name, here.replaceAll(/[()]/g, ''), basis]);
  }
  expect(page).toContain('<title>[simulated] Synthesis run run</title>');
  for (const part of [
    '(figure 7)',
    'Turns and scores',
    'Quality',
    'Verification by a model',
    'Bad answers',
  ]) {
    expect(page).toContain(part);
  }
  expect(await report(RUN)).toBe(page);
});

test('a run in progress is counted from its records, with the same result', async () => {
  const [file, statistics] = [join(RUN, 'run.json'), join(RUN, '.cupid', 'datasets', 'statistics.json')];
  const [finished, counted] = await Promise.all([readFile(file, 'utf8'), readFile(statistics, 'utf8')]);
  const page = await report(RUN);
  await writeFile(file, finished.replace('"state": "finished"', '"state": "running"'));
  await writeFile(statistics, counted.replace(/"instances":\d+/, '"instances":1'));
  const running = await report(RUN);
  await Promise.all([writeFile(file, finished), writeFile(statistics, counted)]);
  expect(running).toContain(', stopped</dd>');
  const earlier = /<p class="warning"><strong>Earlier data\.<\/strong>[^<]*<\/p>/;
  expect(running.replace(', stopped</dd>', ', finished</dd>').replace(earlier, '')).toBe(page);
});

test('an evaluation in progress is scored from its answers, with the same result', async () => {
  const page = await report(RESULTS);
  const file = join(RESULTS, 'run.json');
  const finished = await readFile(file, 'utf8');
  await writeFile(file, finished.replace('"state": "finished"', '"state": "running"'));
  const computed = await report(RESULTS);
  await writeFile(file, finished);
  expect(computed.replace('Scores so far', 'Scores')).toBe(page);
});

test('several folders stand on one page, in the order they are named', async () => {
  const page = await report(RESULTS, RUN, join(RUN, 'verification'));
  const parts = [...page.matchAll(/<h2><span>\d<\/span> (?<title>[^<]*)/g)].map(
    ({ groups }) => groups?.['title'],
  );
  expect(parts).toEqual([
    'Evaluation results (simulated)',
    'Synthesis run run (simulated)',
    'Verification verification (simulated)',
  ]);
  expect(await report(RESULTS, RESULTS)).toContain('<h2><span>1</span> Evaluations side by side</h2>');
});

test('without --out, the page is in the folder, and only a report is replaced', async () => {
  for (const time of [1, 2]) {
    const { code, stdout } = await runLoaded(['report', RUN, '--json']);
    expect({ time, code, result: JSON.parse(stdout) }).toMatchObject({
      code: 0,
      result: { file: join(RUN, 'report.html') },
    });
  }
  const mine = join(folder, 'mine.html');
  await writeFile(mine, '<p>mine</p>');
  const refused = await runLoaded(['report', RUN, '--out', mine]);
  expect(refused).toMatchObject({ code: 2, stderr: expect.stringContaining('is not a report') });
  expect(await readFile(mine, 'utf8')).toBe('<p>mine</p>');
});

test.each([
  ['no such folder', join(folder, 'nothing'), 'contains neither a run nor results'],
  ['a folder without a run', folder, 'contains no run'],
  ['a file', join(RUN, 'run.json'), 'is a file. Name a run folder'],
])('%s is wrong usage', async (_, name, said) => {
  expect(await runLoaded(['report', name])).toMatchObject({ code: 2, stderr: expect.stringContaining(said) });
});

test.each([
  ['is not JSON', () => '{', ': not JSON '],
  [
    'is of another format',
    (text: string) => text.replace(`"format": ${RESULTS_FORMAT}`, '"format": 99'),
    `, field format: expected ${RESULTS_FORMAT}, found 99. `,
  ],
  [
    'lacks numbers',
    (text: string) => text.replace('"bins": [', '"others": ['),
    ', field analyses.by_length.bins: expected a list, found nothing. ',
  ],
])('a results.json that %s is named, with the remedy', async (name, change, said) => {
  const damaged = join(folder, name);
  await mkdir(damaged);
  await writeFile(
    join(damaged, 'results.json'),
    change(await readFile(join(RESULTS, 'results.json'), 'utf8')),
  );
  const { code, stderr } = await runLoaded(['report', damaged]);
  expect({ name, code }).toEqual({ name, code: 2 });
  expect(stderr).toContain(`${join(damaged, 'results.json')}${said}`);
  // The copy has no stored answers.
  expect(stderr).toContain(
    'Run cupid eval --results-dir DIR --rescore where DIR is the folder of the evaluation',
  );
});

needing('browser').describe('in a browser, from disk', () => {
  let browser: Browser;
  beforeAll(async () => {
    browser = await openBrowser();
  });
  afterAll(() => browser.close());

  const openReport = async (options: Parameters<typeof openPage>[2]) =>
    openPage(browser, pathToFileURL(join(folder, 'page.html')).href, options);

  test.each(['light', 'dark'] as const)(
    'styled, readable and free of complaints, %s',
    async (colorScheme) => {
      await report(RUN, RESULTS);
      const { page, complaints } = await openReport({ colorScheme });
      expect(await page.evaluate('getComputedStyle(document.documentElement).backgroundColor')).toBe(
        colorScheme === 'light' ? 'rgb(251, 251, 250)' : 'rgb(21, 23, 26)',
      );
      expect(await listViolations(page)).toEqual([]);
      await page.emulateMedia({ media: 'print' });
      expect(await page.evaluate('getComputedStyle(document.documentElement).backgroundColor')).toBe(
        'rgb(255, 255, 255)',
      );
      expect(await page.locator('nav').isVisible()).toBe(false);
      expect(complaints).toEqual([]);
    },
  );

  test('on a narrow screen a chart scrolls within the page, and says so', async () => {
    await report(RUN, RESULTS);
    const { page } = await openReport({ viewport: { width: 390, height: 844 } });
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(390);
    const hint = `getComputedStyle(document.querySelector('figcaption'), '::after').content`;
    expect(await page.evaluate(hint)).toContain('scroll sideways');
    // A part of what is drawn is in view before anybody scrolls.
    const drawn = `[...document.querySelectorAll('figure > .drawing > svg')].map((one) => one.getBoundingClientRect())`;
    expect(await page.evaluate(`Math.max(...${drawn}.map(({ width }) => width))`)).toBeLessThan(600);
    expect(await listViolations(page)).toEqual([]);
  });

  test("the numbers of a chart can be opened and downloaded, and a folder's name runs nothing", async () => {
    const copied = join(
      folder,
      "<img src=x onerror=alert(1)><script>alert(1)</script>'".replaceAll('/', '∕'),
    );
    await mkdir(copied);
    for (const file of ['results.json', 'results.parquet']) {
      await copyFile(join(RESULTS, file), join(copied, file));
    }
    await report(copied);
    const { page, complaints } = await openReport({ javaScriptEnabled: false });
    expect(await page.locator('h1').textContent()).toContain('<img src=x onerror=alert(1)>');
    await page.locator('summary').first().click();
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.locator('a[download]').first().click(),
    ]);
    expect(download.suggestedFilename()).toBe('figure-8-inference-simulated-default.csv');
    expect(await readFile(await download.path(), 'utf8')).toMatch(
      /^context,model,measure,value,95 % from,to\r\nfull,simulated:default,F1,0\.\d+,/,
    );
    expect(complaints).toEqual([]);
  });
});

test('an evaluation of chosen personas has the numbers of their rows only, and says so', async () => {
  const instances = await collect(
    readInstances(
      await openData(join(RUN, 'CUPID-Unverified'), { report: () => undefined, environment: {} }),
    ),
  );
  const split = getSplit(instances[0]?.persona_id ?? '');
  const own = instances.filter(({ persona_id: persona }) => getSplit(persona) === split);
  expect(own.length).toBeLessThan(instances.length);
  const page = await report(RESULTS, '--split', split);
  expect(page).toContain(`Only personas of the split ${split}. Studies are left out`);
  expect(page).toContain(
    `Limited (--limit, --types, --split, --where-persona): of ${instances.length} instances, ${own.length} in all rows.`,
  );
  const list = join(folder, 'ids.txt');
  await writeFile(list, own.map((row) => row.persona_id).join('\n'));
  const listed = await report(RESULTS, '--where-persona', list);
  expect(listed).toContain(`Only ${own.length / 3} listed persona`);
  expect(listTableRows(listed)).toEqual(listTableRows(page));
  expect(listTableRows(page)).not.toEqual(listTableRows(await report(RESULTS)));
});

test('personas are chosen of evaluations only, and those that are lacking are named', async () => {
  const list = join(folder, 'other.txt');
  await writeFile(list, '\n9+other\n');
  for (const [args, says] of [
    [[RUN, '--split', 'test'], `${RUN} is not the folder of an evaluation with its stored answers`],
    [[RESULTS, '--where-persona', list], `${list}, line 2: ${RUN}`],
  ] as const) {
    const { code, stderr } = await runLoaded(['report', ...args, '--out', join(folder, 'none.html')]);
    expect([code, stderr]).toEqual([2, expect.stringContaining(says)]);
  }
});
