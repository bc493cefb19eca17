import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Browser, Page, Route } from 'playwright-core';
import { instanceSchema } from '../../schemas/dataset/instance';
import {
  annotationSchema,
  auditRowSchema,
  reviewTaskSchema,
  type AuditRow,
} from '../../schemas/review/review';
import { LABEL_TEXTS } from '../../schemas/review/label-texts';
import { Annotations, buildAnnotation, readReview } from '../../runs/review/folder';
import { QUALIFICATION } from '../../rules/review/qualification';
import { needing } from '../parts/needing';
import { readWithAllReaders } from '../readers/readers';
import { createTemporaryFolder } from '../temporary-folder';
import { listViolations, openBrowser, openPage } from './browser';
import { runLoaded } from './loaded-command';
import { endLeftovers, startCommand, untilSaid, kill } from './processes';
import { readRows } from './tables';

const { test } = needing('browser', 'readers');

const folder = createTemporaryFolder();
const out = join(folder, 'out');
const results = join(out, 'review');
const COMMAND = ['review', out, '--rater', 'anna', '--rater', 'ben', '--third', 'carla'];
const REVISED = 'Fewer numbers, please, and say where each of them is from.';

let browser: Browser;

beforeAll(async () => {
  for (const args of [
    ['synth', '--output-dir', out, '--n-personas=2', '--model=simulated:default'],
    ['verify', out, '--model=simulated:default'],
  ]) {
    expect(await runLoaded(args)).toMatchObject({ code: 0 });
  }
  browser = await openBrowser();
});
afterEach(endLeftovers);
afterAll(() => browser.close());

test('two raters at once, a third for what they differ in, a killed command: their instances become CUPID', async () => {
  const first = await startReview();
  const anna = await openPage(browser, first.linkOf('anna'));
  const ben = await openPage(browser, first.linkOf('ben'));
  await anna.page.getByText('Qualification:').waitFor();
  expect(await listViolations(anna.page)).toEqual([]);
  // Unsaved input survives a reload.
  await anna.page.getByLabel('in part', { exact: true }).first().check();
  await anna.page
    .getByRole('button', { name: /^Edit / })
    .first()
    .click();
  await anna.page.getByRole('textbox', { name: /revised$/ }).fill(REVISED);
  await anna.page.reload();
  expect(await anna.page.getByRole('textbox', { name: /revised$/ }).inputValue()).toBe(REVISED);
  expect(await anna.page.getByLabel('in part', { exact: true }).first().isChecked()).toBe(true);
  await anna.page.getByRole('button', { name: 'Undo the edit' }).click();
  // Ben finds everything expressed, also what is not mentioned, and gets the task again.
  await annotate(ben.page, () => 'fully');
  await ben.page.getByText('Please check again.').waitFor();
  await qualify(ben.page);
  // Anna does it by keys alone.
  for (const { answers } of QUALIFICATION) {
    const form = await anna.page.locator('.task form').elementHandle();
    await anna.page.keyboard.press('j');
    for (const answer of answers) await anna.page.keyboard.press(answer === 'Fully Covered' ? '1' : '3');
    for (const rating of ['5', '6']) await anna.page.keyboard.press(rating);
    await anna.page.keyboard.press('Enter');
    await form?.waitForElementState('hidden');
  }
  await anna.page.getByText('anna: 0 of 8 tasks').waitFor();
  await anna.page.keyboard.press('?');
  await anna.page.getByRole('dialog').getByText('label the item: fully, in part, not at all').waitFor();
  expect(await listViolations(anna.page)).toEqual([]);
  await anna.page.keyboard.press('Escape');
  // The text stays beside the questions, and neither agreement nor a path is shown.
  await anna.page.setViewportSize({ width: 1200, height: 700 });
  const [text, questions] = await Promise.all(
    ['.task .judged', '.task form'].map((part) => anna.page.locator(part).boundingBox()),
  );
  expect(text?.y).toBe(questions?.y);
  expect((text?.x ?? 0) + (text?.width ?? 0)).toBeLessThanOrEqual(questions?.x ?? 0);
  for (const part of ['header', 'nav', '.task .about']) {
    expect(await anna.page.locator(part).innerText()).not.toMatch(/alpha|agree|decided|cupid-test|\bben\b/i);
  }
  // At once, each in an order of its own. Anna is done with five tasks when the command is killed.
  await Promise.all([annotateAll(anna.page, 5), annotateAll(ben.page, 3)]);

  // Ben's unsaved input survives that too.
  await ben.page.locator('.task form').waitFor();
  await ben.page
    .getByRole('button', { name: /^Edit / })
    .first()
    .click();
  await ben.page.getByRole('textbox', { name: /revised$/ }).fill(REVISED);
  expect(await runLoaded(['status', results])).toMatchObject({
    code: 0,
    stdout: expect.stringMatching(
      new RegExp(
        `^Review cupid-review-\\w+ of ${out}: \\d of 8 tasks decided.*\nDone: anna 5, ben 3, carla 0\nProcess ${first.running.child.pid} on `,
      ),
    ),
  });
  expect(await runLoaded(COMMAND)).toMatchObject({
    code: 1,
    stderr: expect.stringContaining(`process ${first.running.child.pid} on`),
  });
  await kill(first.running);

  const second = await startReview();
  await anna.page.goto(second.linkOf('anna'));
  await anna.page.getByText(/^anna: 5 of 8 tasks$/).waitFor();
  // A window keeps its task, although the list goes on without it.
  const window = await openPage(browser, second.linkOf('anna'));
  const current = window.page.locator('nav [aria-current]');
  const shown = await current.innerText();
  await annotate(anna.page, chooseByKind);
  await window.page.getByRole('button', { name: `✓ ${shown}`, exact: true }).waitFor();
  expect(await current.innerText()).toBe(`✓ ${shown}`);
  await window.page.close();
  await annotateAll(anna.page, 2);
  await ben.page.goto(second.linkOf('ben'));
  expect(await ben.page.getByRole('textbox', { name: /revised$/ }).inputValue()).toBe(REVISED);
  await ben.page.getByRole('button', { name: 'Undo the edit' }).click();
  await annotateAll(ben.page, 4);
  // Ben wants the last one left out, which Anna does not: Carla revises a message and keeps it.
  const form = ben.page.locator('.task form');
  await form.waitFor();
  await ben.page.getByLabel('Leave out the instances that depend on this task').check();
  await ben.page.getByLabel('Why?').fill('Odd.');
  await annotate(ben.page, () => 'in part');
  await ben.page.getByText('All tasks are done').waitFor();

  const carla = await openPage(browser, second.linkOf('carla'));
  // The others' annotations of these would reveal the answers.
  await carla.page.getByText('Qualification:').waitFor();
  expect(await carla.page.locator('.other').count()).toBe(0);
  await qualify(carla.page);
  await carla.page.getByText('ben wants it left out: Odd.').waitFor();
  await carla.page.getByText('anna and ben differ here.').waitFor();
  await carla.page.getByText('they differ').first().waitFor();
  expect(await listViolations(carla.page)).toEqual([]);
  await carla.page
    .getByRole('button', { name: /^Edit / })
    .first()
    .click();
  await carla.page.getByRole('textbox', { name: /revised$/ }).fill(REVISED);
  await annotate(carla.page, chooseByKind);

  await carla.page.getByText('The review is finished').waitFor();
  const ended = await second.running.ended;
  expect(ended).toMatchObject({ code: 0, stdout: expect.stringContaining('Accepted: 6. Rejected: 0.') });
  expect(ended.stdout).toMatch(/^anna +8 +\d+ +\d+ +\d+ +0 +0\nben +8 .*\ncarla +1 /m);
  expect(ended.stdout).toMatch(/^Agreement of anna and ben: Krippendorff's alpha \(ordinal\) 0\.\d{3};/m);
  expect(ended.stdout).toContain(`explore ${out}\n`);
  const complaints = [anna, ben, carla].flatMap((one) => one.complaints);
  // The browser reports requests that the killed command did not answer, and that the next one rejected before its link was opened.
  expect(complaints.filter((line) => !/ERR_|403/.test(line))).toEqual([]);

  const instances = await readRows(instanceSchema, join(results, 'CUPID', 'test.parquet'));
  expect(instances).toHaveLength(6);
  expect(JSON.stringify(instances)).toContain(REVISED);
  const audit = await readAudit();
  // Eight tasks by two raters, and Carla's.
  expect(audit).toHaveLength(17);
  expect(audit.filter(({ role }) => role === 'third')).toMatchObject([
    { rater: 'carla', outcome: 'sound', revisions: [{ new_text: REVISED }] },
  ]);
  const card = await readFile(join(results, 'CUPID', 'README.md'), 'utf8');
  expect(card).toContain('3 people reviewed the instances');
  expect(card).toContain('- human-verified');
  expect(card).toMatch(/Mean ratings of the two raters, from 1 to 7: requests \d\.\d\d \(SD /);
  expect(await runLoaded(['validate', join(results, 'CUPID')])).toMatchObject({ code: 0 });
  expect(await runLoaded(['report', out])).toMatchObject({ code: 0 });
  const report = await readFile(join(out, 'report.html'), 'utf8');
  expect(report).toContain('Items with different labels of anna and ben');
  expect(report).not.toContain('This review is of an earlier state');
  await readWithAllReaders(join(results, 'CUPID', 'test.parquet'));

  // The file of a rater has the form of human labels; each line is whole.
  const lines = (await readFile(join(results, 'annotations', 'ben.jsonl'), 'utf8')).trim().split('\n');
  expect(lines.map((line) => annotationSchema.parse(JSON.parse(line)))).toHaveLength(1 + 3 + 8);
  await expectFinished();
  await expectLabelsRead();
});

test('a key that is held or pressed once too often answers no other question', async () => {
  const { linkOf } = await startReviewIn('keys');
  const { page, complaints } = await openPage(browser, linkOf('anna'));
  await page.locator('.task form').waitFor();
  const listAnswers = async () =>
    Promise.all(
      (await page.locator('.task form fieldset').all()).map(async (question) => {
        const isChosen = await Promise.all(
          (await question.locator('input').all()).map((answer) => answer.isChecked()),
        );
        return isChosen.indexOf(true) + 1;
      }),
    );
  const [, ...openAnswers] = await listAnswers();
  // Playwright sends a second press without a release as a repetition.
  await page.keyboard.down('1');
  await page.keyboard.down('1');
  await page.keyboard.up('1');
  expect(await listAnswers()).toEqual([1, ...openAnswers]);
  const answers = [1, ...openAnswers.map((_, at) => (at < openAnswers.length - 2 ? 3 : 6))];
  for (const answer of answers.slice(1)) await page.keyboard.press(`${answer}`);
  // The focus is on the button now.
  await page.keyboard.press('2');
  expect(await listAnswers()).toEqual(answers);
  expect(complaints).toEqual([]);
});

test('a form stays usable when polls of the server fail, and when they take longer than their interval', async () => {
  const { linkOf } = await startReviewIn('line');
  const { page } = await openPage(browser, linkOf('anna'));
  const edit = page.getByRole('button', { name: /^Edit / }).first();
  await edit.click();
  await page.keyboard.type('I need ');
  await page.route('**/api/tasks', (route) => route.abort());
  await page.getByRole('alert').filter({ hasText: 'cupid does not answer' }).waitFor();
  await page.keyboard.type('2 sentences');
  expect(await page.locator('input:checked').count()).toBe(0);
  expect(await page.getByRole('textbox', { name: /revised$/ }).inputValue()).toMatch(/I need 2 sentences/);
  await page.unroute('**/api/tasks');
  await page.getByRole('alert').waitFor({ state: 'detached' });
  // Longer than the interval of polls.
  await page.route('**/api/**', async (route) => {
    await new Promise((resolve) => setTimeout(resolve, 6_000));
    await route.continue();
  });
  await page.reload();
  await page.getByText(`anna: 0 of ${QUALIFICATION.length} tasks of the qualification`).waitFor();
});

test('a task that a proxy did not deliver can be requested again', async () => {
  const { linkOf } = await startReviewIn('task');
  const { page } = await openPage(browser, linkOf('anna'));
  await page.locator('.task form').waitFor();
  await page.route('**/api/task?*', (route) =>
    route.fulfill({ status: 200, contentType: 'text/html', body: '<h1>Sign in</h1>' }),
  );
  await page.reload();
  const again = page.getByRole('button', { name: 'Try again' });
  await again.waitFor();
  expect(await page.getByRole('alert').innerText()).toBe(
    'A proxy answered instead of cupid (status 200). Your login may have expired: reload the page. Unsaved changes are kept.',
  );
  expect(await listViolations(page)).toEqual([]);
  await page.unroute('**/api/task?*');
  await again.click();
  await page.locator('.task form').waitFor();
});

test('an annotation is sent once, and cannot change while it is saved', async () => {
  const { linkOf } = await startReviewIn('slow');
  const { page } = await openPage(browser, linkOf('anna'));
  await page.locator('.task form').waitFor();
  for (const answer of QUALIFICATION[0]?.answers ?? [])
    await page.keyboard.press(answer === 'Fully Covered' ? '1' : '3');
  for (const rating of ['5', '6']) await page.keyboard.press(rating);
  const requests: Route[] = [];
  await page.route('**/api/annotation', (route) => void requests.push(route));
  await page.keyboard.press('Enter');
  const button = page.locator('.task form button[type=submit]');
  await button.filter({ hasText: 'Saving…' }).waitFor();
  for (const key of ['2', 'k', '2', 'Enter']) await page.keyboard.press(key);
  await requests[0]?.fulfill({ status: 500, json: { error: 'The disk is full.' } });
  await page.getByRole('alert').filter({ hasText: 'The disk is full.' }).waitFor();
  expect(await page.locator('fieldset.scale').last().getByLabel('6').isChecked()).toBe(true);
  expect(requests).toHaveLength(1);
  // The focus is on the button again.
  await page.unroute('**/api/annotation');
  await page.keyboard.press('Enter');
  await page.locator('nav').getByText(`anna: 1 of ${QUALIFICATION.length} tasks`).waitFor();
});

test.each([
  [
    'denies access to its storage',
    `Object.defineProperty(window, 'localStorage', { get() { throw new DOMException('denied', 'SecurityError'); } })`,
  ],
  ['has no storage', `Object.defineProperty(window, 'localStorage', { get: () => null })`],
  ['stored half a draft', `Storage.prototype.getItem = () => '{"labels":['`],
])('a rater can work in a browser that %s', async (_, script) => {
  const { linkOf } = await startReviewIn('storage');
  const context = await browser.newContext();
  await context.addInitScript(script);
  const page = await context.newPage();
  await page.goto(linkOf('anna'));
  await annotate(page, chooseRight);
});

/** Expects that the command says again what a finished review made, and refuses other raters. */
async function expectFinished(): Promise<void> {
  const again = await runLoaded(['review', out]);
  expect(again).toMatchObject({ code: 0, stdout: expect.stringMatching(/^Accepted: 6\./) });
  expect(again.stderr).not.toContain('Open these links');
  expect(await runLoaded(['review', out, '--rater', 'anna', '--rater', 'dora'])).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('--rater: anna, ben before, anna, dora now'),
  });
  expect(await runLoaded(['review', out, '--auto'])).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('contains a review by people'),
  });
}

/** Expects that `cupid eval --labels` reads what a rater said. */
async function expectLabelsRead(): Promise<void> {
  const labelled = join(folder, 'labelled');
  const models = ['--model=simulated:default', '--evaluator=simulated:default'];
  const labels = ['--labels', join(results, 'annotations', 'ben.jsonl')];
  const ended = await runLoaded([
    'eval',
    `--results-dir=${labelled}`,
    `--data=${out}`,
    '--limit=1',
    ...models,
    ...labels,
  ]);
  expect(ended).toMatchObject({ code: 0 });
  // The preferences of two personas.
  expect(await readFile(join(labelled, 'results.json'), 'utf8')).toMatch(
    /"human_labels": \{\s*"n_pairs": 6,/,
  );
}

test('a review that ends early has nothing decided, and one rater is not enough', async () => {
  const early = ['review', out, `--results-dir=${join(folder, 'early')}`, '--rater=anna', '--rater=ben'];
  // A review uses no Temporal, neither the chosen cluster nor a server of its own.
  expect(await runLoaded([...early, '--finish'], { TEMPORAL_ADDRESS: '127.0.0.1:1' })).toMatchObject({
    code: 3,
    stdout: expect.stringMatching(/^Accepted: 0\. Rejected: 0\. Not decided: 6\./),
  });
  expect((await readdir(join(folder, 'early', '.cupid'))).toSorted()).toEqual([
    'inputs',
    'lock',
    'outputs.json',
    'scratch',
  ]);
  const alone = await runLoaded(['review', out, `--results-dir=${join(folder, 'alone')}`, '--rater=anna']);
  expect(alone).toMatchObject({ code: 2, stderr: expect.stringContaining('needs two raters') });
});

test('data that grew are not verified to end their review: what is decided becomes CUPID', async () => {
  const run = join(folder, 'grown');
  const path = join(run, 'review');
  const grow = (personas: number) =>
    runLoaded(['synth', `--output-dir=${run}`, `--n-personas=${personas}`, '--model=simulated:default']);
  expect(await grow(1)).toMatchObject({ code: 0 });
  expect(await runLoaded(['verify', run, '--model=simulated:default'])).toMatchObject({ code: 0 });
  const finish = () => runLoaded(['review', run, '--rater=anna', '--rater=ben', '--finish']);
  const none = await finish();
  expect(none).toMatchObject({
    code: 3,
    stdout: expect.stringContaining(
      `\n0 of 3 instances are decided. 3 are undecided and left out, because raters have not done all the tasks that they depend on. Continue the review: cupid review ${run}\n`,
    ),
  });
  expect(none.stdout).not.toMatch(/publish|differ:/);
  const annotations = await Annotations.open(path);
  const review = await readReview(path);
  for (const task of review?.tasks.values() ?? []) {
    const labels = task.checklist.map(() => (task.kind === 'request' ? 'Not Covered' : 'Fully Covered'));
    const rest = { realism: 4, implicitness: 4, revisions: [], rejection: null };
    for (const rater of ['anna', 'ben']) {
      await annotations.add(buildAnnotation(task, { task: task.task, rater, labels, ...rest }));
    }
  }
  expect(await grow(2)).toMatchObject({ code: 0 });
  const ended = await finish();
  expect(ended).toMatchObject({
    code: 3,
    stdout: expect.stringMatching(/^Accepted: 3\. Rejected: 0\. Not decided: 3\./),
  });
  expect(ended.stderr).toContain('The data grew: 4 tasks of 1 persona are not in the review');
  expect(ended.stdout).toContain('\n3 of 6 instances are decided. 3 are undecided and left out,');
  // The raters agree on everything.
  expect(ended.stdout).not.toContain('read where the raters differ');
  expect(ended.stdout).toContain(`\nNext, publish the accepted instances: cupid publish ${path}/CUPID `);
  expect(await readRows(instanceSchema, join(path, 'CUPID', 'test.parquet'))).toHaveLength(3);
  expect(await runLoaded(['review', run])).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('To end the review without the added data, add --finish.'),
  });
});

test('without people, the verdicts of the model count', async () => {
  const auto = join(folder, 'auto');
  expect(await runLoaded(['review', out, '--auto', `--results-dir=${auto}`])).toMatchObject({
    code: 0,
    stdout: expect.stringMatching(/^Accepted: 6\. Rejected: 0\. Not decided: 0\./),
  });
  const card = await readFile(join(auto, 'CUPID', 'README.md'), 'utf8');
  expect(card).toContain('A model, `simulated:default`, verified 6 instances');
  expect(card).toContain('people have not checked them');
  expect(card).not.toContain('human-verified');
  expect(await runLoaded(['validate', join(auto, 'CUPID')])).toMatchObject({ code: 0 });
  const audit = await readAudit(auto);
  expect(audit.map(({ rater, role, source, outcome }) => [rater, role, source, outcome])).toEqual(
    Array.from({ length: 6 }, () => ['simulated:default', 'model', 'verify', 'sound']),
  );
  // Nothing that the review did not write counts as written, though there is nothing new to write.
  await rm(join(auto, 'audit.parquet'));
  await mkdir(join(auto, 'audit.parquet'));
  expect(await runLoaded(['review', out, '--auto', `--results-dir=${auto}`])).toMatchObject({
    code: 2,
    stdout: '',
    stderr: expect.stringContaining(`audit.parquet in ${auto} was not written by this review`),
  });
});

test('texts of models and data stay texts, whatever they hold', async () => {
  const hostile = `<script>document.title = "run"</script><img src=x onerror="document.title='run'"></legend><h1>no heading</h1> [x](javascript:alert(1)) **b** \u202Eabc\u001B[31m`;
  const dialogue = ['user', 'assistant'].map((role) => ({ role, content: hostile }));
  const instance = {
    persona_id: `1+${hostile}`,
    instance_type: 'consistent',
    current_request: hostile,
    current_context_factor: hostile,
    current_contextual_preference: hostile,
    current_checklist: [hostile],
    prior_interactions: [{ context_factor: hostile, contextual_preference: hostile, dialogue }],
  };
  const data = join(folder, 'hostile\u202E.jsonl');
  await writeFile(data, `${JSON.stringify(instance)}\n`);
  const review = `--results-dir=${join(folder, 'hostile')}`;
  const { linkOf } = await startReview(['review', data, review, '--rater=anna', '--rater=ben']);
  const { page, complaints } = await openPage(browser, linkOf('anna'));
  const shown = hostile.replace('\u202E', 'U+202E').replace('\u001B', 'U+001B');
  await page.locator('.task form').waitFor();
  await qualify(page);
  await page.getByText('anna: 0 of 2 tasks').waitFor();
  const names = await page.locator('nav li').allInnerTexts();
  expect(names.toSorted()).toEqual([`1+${shown}/preference-1`, `1+${shown}/request-1`]);
  // No name of a file is before the rater's eyes.
  expect(await page.locator('header').innerText()).not.toContain('hostile');
  for (let task = 0; task < 2; task += 1) {
    await page.locator('.task form').waitFor();
    expect(await page.locator('.items legend').innerText()).toBe(shown);
    expect(await page.locator('.task .message').first().innerText()).toBe(shown);
    expect(await page.locator('main script, main img, main a').count()).toBe(0);
    expect(await page.getByRole('heading', { name: 'no heading', exact: true }).count()).toBe(0);
    await annotate(page, chooseByKind);
  }
  expect(await page.title()).toBe('anna – cupid review');
  expect(complaints).toEqual([]);
});

test('what a rater has not saved yet is never lost or taken for saved without a word', async () => {
  const path = join(folder, 'unsaved');
  const command = ['review', out, `--results-dir=${path}`, '--rater=anna', '--rater=ben'];
  const { linkOf } = await startReview(command);
  const tasks = await readFile(join(path, '.cupid', 'inputs', 'review-tasks.jsonl'), 'utf8');
  const { task } = reviewTaskSchema.parse(JSON.parse(tasks.slice(0, tasks.indexOf('\n'))));
  // The qualification comes first, whatever a link names.
  const { page, complaints } = await openPage(browser, `${linkOf('anna')}&task=${encodeURIComponent(task)}`);
  await page.locator('nav [aria-current]').getByText('qualification/1').waitFor();

  const firstItem = page.locator('ol.items fieldset').first();
  const message = page.getByRole('textbox', { name: /revised$/ });
  await page.evaluate(fillStorage);
  await page
    .getByRole('button', { name: /^Edit / })
    .first()
    .click();
  await page.getByText('The browser cannot store your unsaved changes.').waitFor();
  await message.fill(' ');
  for (const item of await page.locator('ol.items fieldset').all()) {
    await item.getByLabel('not at all', { exact: true }).check();
  }
  for (const scale of await page.locator('fieldset.scale').all()) await scale.getByLabel('5').check();
  await page.getByRole('button', { name: 'Save and continue' }).click();
  await page.getByText('The new text of a message is empty.').waitFor();
  await message.fill(REVISED);
  await annotate(page, chooseRight);
  await page.evaluate('localStorage.clear()');
  await page.locator('nav [aria-current]').getByText('qualification/2').waitFor();
  await page.getByLabel('in part', { exact: true }).first().check();
  expect(await page.getByText('The browser cannot store').count()).toBe(0);

  // Another tab has the task open since before it is saved here.
  const other = await page.context().newPage();
  await other.goto(page.url());
  await other.locator('.task form').waitFor();
  await annotate(page, chooseRight);
  await other.getByLabel('not at all', { exact: true }).first().check();
  await page.getByRole('button', { name: '✓ qualification/2', exact: true }).click();
  await page.getByText('Unsaved changes are shown instead of your saved annotation.').waitFor();
  expect(await firstItem.getByLabel('not at all', { exact: true }).isChecked()).toBe(true);
  expect(await listViolations(page)).toEqual([]);
  await page.getByRole('button', { name: 'Discard the changes' }).click();
  expect(await firstItem.getByLabel('fully', { exact: true }).isChecked()).toBe(true);
  await page.reload();
  await page.locator('.task form').waitFor();
  expect(await page.getByText('Unsaved changes are shown').count()).toBe(0);
  expect(complaints).toEqual([]);
});

test('what a model quoted is shown only once every item has a label, also after a reload', async () => {
  const path = join(folder, 'quoted');
  const { linkOf } = await startReview([
    'review',
    out,
    `--results-dir=${path}`,
    '--rater=anna',
    '--rater=ben',
  ]);
  const lines = (await readFile(join(path, '.cupid', 'inputs', 'review-tasks.jsonl'), 'utf8'))
    .trim()
    .split('\n');
  const tasks = lines.map((line) => reviewTaskSchema.parse(JSON.parse(line)));
  const task = tasks.find(({ checklist, evidence }) => checklist.length > 1 && evidence?.every(isFilled));
  if (task === undefined) throw new Error('No task has quotations.');
  const narrow = { colorScheme: 'dark', viewport: { width: 390, height: 800 } } as const;
  const { page, complaints } = await openPage(browser, linkOf('anna'), narrow);
  await qualify(page);
  await page.getByText('anna: 0 of 8 tasks').waitFor();
  await page.getByRole('button', { name: task.task, exact: true }).click();
  const items = page.locator('ol.items fieldset');
  const quotations = page.locator('.task form blockquote');
  const status = page.locator('.task form').getByRole('status');
  const expectHidden = async () => {
    await status.getByText('They are shown once you have labeled every item.').waitFor();
    expect(await quotations.count()).toBe(0);
  };
  await expectHidden();
  expect(await page.locator('.task form').innerText()).not.toContain(task.evidence?.flat()[0]);
  expect(await listViolations(page)).toEqual([]);
  for (const _ of task.checklist.slice(1)) {
    await page.keyboard.press('1');
    await expectHidden();
  }
  // The draft is restored without the label that is missing.
  await page.reload();
  await expectHidden();
  await items.last().getByLabel('fully', { exact: true }).focus();
  await page.keyboard.press('3');
  await status.getByText('You can still change your labels.').waitFor();
  expect(await quotations.allInnerTexts()).toEqual(task.evidence?.flat());
  // They move the next question, which has the focus and stays in view.
  const focused = await page.locator('fieldset.scale').first().boundingBox();
  expect((focused?.y ?? Infinity) + (focused?.height ?? 0)).toBeLessThan(801);
  expect(await listViolations(page)).toEqual([]);
  expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(390);
  await page.reload();
  await quotations.first().waitFor();
  // They stand behind the answers, and an answer that changes hides nothing.
  expect(await items.first().innerText()).toMatch(/not at all[^]*A model quoted:/);
  await items.first().getByLabel('in part', { exact: true }).check();
  expect(await quotations.count()).toBe(task.evidence?.flat().length);
  await annotate(page, () => 'in part');
  await page.getByRole('button', { name: `✓ ${task.task}`, exact: true }).click();
  await quotations.first().waitFor();
  // A task without quotations does not speak of them.
  const request = tasks.find(({ kind }) => kind === 'request');
  await page.getByRole('button', { name: request?.task ?? '', exact: true }).click();
  await page.getByRole('heading', { name: /^Does the request/ }).waitFor();
  expect(await status.count()).toBe(0);
  expect(complaints).toEqual([]);
});

function isFilled(texts: readonly string[]): boolean {
  return texts.length > 0;
}

test('the name of a task breaks between its words only', async () => {
  const data = join(folder, 'names.jsonl');
  const dialogue = ['user', 'assistant'].map((role) => ({ role, content: 'Shorter, please.' }));
  const rows = ['12+occupational_therapist_for_children_in_hospitals', '3+Head librarian, night shift'].map(
    (persona_id) => ({
      persona_id,
      instance_type: 'consistent',
      current_request: 'Write a letter.',
      current_context_factor: 'letters',
      current_contextual_preference: 'Letters must be short.',
      current_checklist: ['Is the letter short?'],
      prior_interactions: [
        { context_factor: 'letters', contextual_preference: 'Letters must be short.', dialogue },
      ],
    }),
  );
  await writeFile(data, rows.map((row) => `${JSON.stringify(row)}\n`).join(''));
  const review = `--results-dir=${join(folder, 'names')}`;
  const { linkOf } = await startReview(['review', data, review, '--rater=anna', '--rater=ben']);
  const { page } = await openPage(browser, linkOf('anna'));
  await qualify(page);
  await page.getByText('anna: 0 of 4 tasks').waitFor();
  for (const width of [390, 1000, 1200]) {
    await page.setViewportSize({ width, height: 800 });
    expect(await page.evaluate(listBrokenWords)).toEqual([]);
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(width);
  }
  expect(await listViolations(page)).toEqual([]);
});

/** Lists the words in names of tasks that stand on more than one line. */
const listBrokenWords = `
  [...document.querySelectorAll('nav li button')].flatMap((button) => {
    const broken = [];
    const texts = document.createTreeWalker(button, NodeFilter.SHOW_TEXT);
    while (texts.nextNode()) {
      for (const { 0: word, index } of texts.currentNode.data.matchAll(/[^\\W_]+/g)) {
        const range = document.createRange();
        range.setStart(texts.currentNode, index);
        range.setEnd(texts.currentNode, index + word.length);
        if (new Set([...range.getClientRects()].map(({ top }) => top)).size > 1) broken.push(word);
      }
    }
    return broken;
  })
`;

/** Leaves no room in what the browser stores for the page. */
const fillStorage = `
  for (let size = 2 ** 22; size >= 1; size /= 2) {
    for (let at = 0; ; at += 1) {
      try { localStorage.setItem('filler ' + size + ' ' + at, 'x'.repeat(size)); } catch { break; }
    }
  }
`;

async function startReview(command = COMMAND) {
  const running = startCommand(command);
  let printed = '';
  running.child.stdout?.on('data', (text: string) => (printed += text));
  await untilSaid(running, 'Open these links');
  return {
    running,
    linkOf: (rater: string) => new RegExp(`^${rater}: (\\S+)$`, 'm').exec(printed)?.[1] ?? '',
  };
}

/** Starts a review of the same data, by the two raters alone, in a folder of this name. */
async function startReviewIn(name: string) {
  return startReview(['review', out, `--results-dir=${join(folder, name)}`, '--rater=anna', '--rater=ben']);
}

/** Choice of a rater for an item. */
type Choose = (item: { readonly isRequest: boolean; readonly text: string }) => string;

async function qualify(page: Page): Promise<void> {
  for (const _ of QUALIFICATION) await annotate(page, chooseRight);
}

const chooseRight: Choose = ({ text }) => {
  const [answer] = QUALIFICATION.flatMap(({ checklist, answers }) => answers[checklist.indexOf(text)] ?? []);
  if (answer === undefined) throw new Error(`${text} is not an item of the qualification.`);
  return LABEL_TEXTS[answer];
};
const chooseByKind: Choose = ({ isRequest }) => (isRequest ? 'not at all' : 'fully');

/** Annotates the task that is shown, and waits for the next one. */
async function annotate(page: Page, choose: Choose): Promise<void> {
  const form = page.locator('.task form');
  await form.waitFor();
  const isRequest = (await page.getByRole('heading', { name: /^Does the request/ }).count()) > 0;
  const items = form.locator('ol.items fieldset');
  for (const item of await items.all()) {
    const text = await item.locator('legend').innerText();
    await item.getByLabel(choose({ isRequest, text }), { exact: true }).check();
  }
  for (const scale of await form.locator('fieldset.scale').all()) await scale.getByLabel('5').check();
  const shown = await form.elementHandle();
  const saved = page.waitForResponse((response) => response.url().endsWith('/api/annotation'));
  await page.getByRole('button', { name: 'Save and continue' }).click();
  expect((await saved).status()).toBe(200);
  // The next task has a form of its own.
  await shown?.waitForElementState('hidden');
}

async function annotateAll(page: Page, tasks: number): Promise<void> {
  for (let task = 0; task < tasks; task += 1) await annotate(page, chooseByKind);
}

async function readAudit(review = results): Promise<AuditRow[]> {
  return readRows(auditRowSchema, join(review, 'audit.parquet'));
}
