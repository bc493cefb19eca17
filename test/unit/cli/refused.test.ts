import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { buildInstances, renderLines } from '../data/sets/instances';
import { expectRefusal, readFilesBelow } from '../../end-to-end/refusal';
import { createTemporaryFolder } from '../../temporary-folder';
import { giveCommand } from './give-command';

const folder = createTemporaryFolder();
const inFolder = (name: string) => join(folder, name);
const out = inFolder('out');

const SYNTH = '--model=simulated:default';
const EVAL = '--model=simulated:default --evaluator=simulated:default';

/** Options, then what the message contains. */
type Row = [options: string, ...says: string[]];
/** Content of the file that the options name, then what the message contains. */
type FileRow = [content: string | Buffer, ...says: string[]];

writeFileSync(inFolder('data.jsonl'), renderLines(buildInstances(1)));

const environment = { ...process.env };
beforeEach(() => {
  for (const name of Object.keys(process.env))
    if (/_KEY|^AWS_|^TEMPORAL_/.test(name)) delete process.env[name];
  process.env['HOME'] = folder;
});
afterEach(() => {
  process.env = { ...environment };
});

describe('a wrong command line is reported with what was expected, and nothing is written (exit 2)', () => {
  test.each<Row>([
    [
      '--model opnai:gpt-4o',
      '"opnai:gpt-4o" names no known provider',
      'openai, bedrock, together',
      'for example openai:',
    ],
    ['--model gpt-4o', '"gpt-4o" names no known provider', 'provider:model'],
    ['--model openai:', '"openai:" names no model', 'openai:NAME'],
    ['--model openai-compatible:llama', 'has no URL', 'openai-compatible:llama@http://localhost:8000/v1'],
    ['--model openai:gpt-4o@http://localhost:8000/v1', 'a URL, which only openai-compatible takes'],
    [
      '--model openai:gpt-4o?temperature=0',
      '"openai:gpt-4o?…" has options after a ?, which only simulated takes',
      '--settings',
    ],
    [
      '--model simulated:default?latncy=1s',
      '--model',
      'there is no option latncy',
      'latency: time that an answer takes',
    ],
    [
      `${SYNTH} --user-model simulated:default?malformed=2`,
      '--user-model',
      'malformed=2 must be a fraction from 0 to 1',
    ],
    [`${SYNTH} --n-sessions 8`, "'--n-sessions <n>' argument '8' is invalid", 'a whole number of at least 9'],
    [`${SYNTH} --n-factors 2`, "'--n-factors <n>' argument '2' is invalid", 'a whole number of at least 3'],
    [
      `${SYNTH} --concurrency 0`,
      "'--concurrency <n>' argument '0' is invalid",
      'at least 1 and at most 10000',
    ],
    [`${SYNTH} --n-personas 0`, "'--n-personas <n>' argument '0' is invalid", 'a whole number of at least 1'],
    [
      `${SYNTH} --n-personas four`,
      "'--n-personas <n>' argument 'four' is invalid",
      'Expected a whole number',
    ],
    [`${SYNTH} --max-turns 2.5`, "'--max-turns <n>' argument '2.5' is invalid", 'Expected a whole number'],
    [`${SYNTH} --seed 2147483648`, "'--seed <n>' argument '2147483648' is invalid", 'at most 2147483647'],
    [`${SYNTH} --n_personas 4`, "unknown option '--n_personas'"],
    [`${SYNTH} --seeds ${inFolder('nowhere')}`, 'nowhere cannot be read', 'no such file', 'Check the path'],
    [`${SYNTH} --seeds ${folder}`, `${folder} is a directory`, 'Expected a regular file', 'Name another'],
    [
      `${SYNTH} --prompts ${inFolder('nowhere')}`,
      `There is no folder ${inFolder('nowhere')}. Name the folder that contains`,
    ],
    [`${SYNTH} --settings ${inFolder('nowhere')}`, 'nowhere cannot be read', 'no such file'],
    [
      `${SYNTH} --personas a --seeds b`,
      "option '--personas <file>' cannot be used with option '--seeds <file>'",
    ],
  ])('synth %s', (options, ...says) => expectRefused('synth --output-dir', options, 2, says));

  test.each<Row>([
    ['--evaluator simulated:default', '--model is missing', 'for example --model openai:'],
    ['--model simulated:default', '--evaluator is missing'],
    ['--model opnai:gpt --evaluator simulated:default', 'names no known provider'],
    [`${EVAL} --context ful`, "argument 'ful' is invalid", 'full, oracle, memory, summary, none'],
    [`${EVAL} --types new`, "argument 'new' is invalid", 'consistent, contrastive, changing'],
    [`${EVAL} --task infer`, "argument 'infer' is invalid", 'inference, generation, both'],
    [`${EVAL} --limit 0`, "argument '0' is invalid", 'at least 1'],
    [`${EVAL} --task choice --stress 5`, '--stress tests matchers and judges', 'leave --stress out'],
    [`${EVAL} --judge-repeats 1`, "argument '1' is invalid", 'at least 2'],
    [
      `${EVAL} --matcher simulated:default`,
      '--matcher has no effect without --use-matcher',
      'Add --use-matcher',
    ],
    [`${EVAL} --misapplication`, '--misapplication: applies to generation only.'],
    [`${EVAL} --oracle-preference`, '--oracle-preference applies to generation only', '--task both'],
    [`${EVAL} --compare nowhere`, '--compare nowhere: this folder does not contain an evaluation'],
    [`${EVAL} --labels ${inFolder('nowhere')}`, 'nowhere cannot be read'],
    ['--rescore', 'contains no results to rescore', 'Leave --rescore out'],
    [
      '--rescore --limit 1 --context none',
      '--rescore scores everything that is stored, so --context and --limit cannot be combined',
    ],
  ])('eval %s', (options, ...says) =>
    expectRefused('eval --results-dir', `--data ${inFolder('data.jsonl')} ${options}`, 2, says),
  );
});

test.each([
  ['nowhere', 'There is no folder nowhere'],
  ['cupid-12345678', 'To find a run on a cluster by its id, choose the cluster'],
  [__filename, 'is a file'],
  [__dirname, 'contains no run'],
])('status says what is wrong with %s, and what to name', async (name, why) => {
  expectRefusal(await giveCommand('status', name), 2, [why]);
});

test.each([
  [['no-such-file.parquet'], 'no-such-file.parquet does not exist'],
  [[folder, 'nowhere'], 'nowhere does not exist. Name a file'],
  [[folder, '--temporal-ui', 'javascript:alert(1)'], 'Expected an address such as https://'],
])('explore %j: wrong usage', async (words, why) => {
  expectRefusal(await giveCommand('explore', ...words), 2, [why]);
});

describe('a file that the command line names is checked before anything is written (exit 2)', () => {
  test.each<FileRow>([
    [
      '{"persona":"A baker from Bern."}\n',
      'seeds.jsonl, row 1, field input persona: expected a text',
      'rename it to "input persona"',
    ],
    [
      '{"input persona":"A baker."}\n\n{"input persona":"A nur\n',
      'seeds.jsonl, row 3: not JSON',
      'download it again',
    ],
    [
      Buffer.from('{"input persona":"Zürich"}', 'latin1'),
      'seeds.jsonl, row 1: not UTF-8',
      'save it as UTF-8',
    ],
    ['\n\n', 'seeds.jsonl contains no seed sentence'],
  ])('seeds %j', (content, ...says) => expectFileRefused(SYNTH, 'seeds', 'jsonl', content, says));

  test('fewer seeds than personas', () => {
    writeFileSync(inFolder('two.txt'), 'A baker from Bern.\nA nurse who sails.\nSomebody else.\n');
    return expectRefused('synth --output-dir', `${SYNTH} --seeds ${inFolder('two.txt')}`, 2, [
      'Each persona needs a seed sentence of its own',
      '3 different sentences, enough for 2 personas of',
      'Ask for at most 2 personas, or give more seeds',
    ]);
  });

  test.each<FileRow>([
    ['stepz: {}', 'unknown key "stepz"'],
    ['nPersonas: 7', 'unknown key "nPersonas"'],
    ['steps: { usr: { asks: 2 } }', 'field steps: unknown key "usr"'],
    ['steps: { user: { temprature: 1 } }', 'field steps.user: unknown key "temprature"'],
    ['steps: { user: { asks: 0 } }', 'field steps.user.asks: expected a number more than 0, found 0'],
    [
      'steps: { user: { temperature: hot } }',
      'field steps.user.temperature: expected a number or "default", found "hot"',
    ],
    ['', 'expected an object, found nothing'],
    ['steps:', 'field steps: expected an object, found nothing'],
  ])('settings %j', (content, ...says) =>
    expectFileRefused(SYNTH, 'settings', 'yaml', content, [
      ...says,
      'describe, factors, journey, checklist, assistant, user',
      'user: { temperature: 0.3, maxTokens: 8192, asks: 5, samples: 2 }',
    ]),
  );

  test('personas without a description, and too few types of a taxonomy', async () => {
    const people = 'occupation,description\nCook,Cooks.\nBaker,\n';
    await expectFileRefused(SYNTH, 'personas', 'csv', people, ['row 2, field description: expected a text']);
    const types = JSON.stringify({
      factor_types: ['A', 'B', 'C'],
      task_types: ['D'],
      preference_types: ['E', 'F'],
    });
    await expectFileRefused(SYNTH, 'taxonomy', 'yaml', types, [
      'field task_types: expected a list of at least 2',
    ]);
  });

  test('settings that are not YAML', () =>
    expectFileRefused(SYNTH, 'settings', 'yaml', 'steps: [', ['is neither YAML nor JSON', 'line 1']));

  test.each<FileRow>([
    [
      'steps: { user: { asks: 2 } }',
      'field steps: unknown key "user"',
      'summarize, infer, choose, decompose, match, respond, judge, classify',
    ],
    ['steps: { infer: { asks: 0 } }', 'steps.infer.asks'],
  ])('settings of an evaluation %j', (content, ...says) =>
    expectFileRefused(EVAL, 'settings', 'yaml', content, says),
  );

  const labels = { preference: 'Short.', checklist: ['Is it short?'], labels: [['Fully Covered']] };
  test.each<FileRow>([
    [
      renderLines([labels, { ...labels, labels: [['Mostly']] }]),
      'line 2, field labels[0][0]: expected',
      '"Partially Covered"',
    ],
    [
      renderLines([labels, { ...labels, checklist: ['1?', '2?'] }]),
      'line 2, field labels: ',
      'found 1 list for 2 entries',
    ],
    [`${renderLines([labels])}\n{"preference":\n`, 'line 3: not JSON'],
  ])('labels %j', (content, ...says) => expectFileRefused(EVAL, 'labels', 'jsonl', content, says));
});

describe('a key that is missing is named with how to set it, and nothing is written (exit 1)', () => {
  test.each<Row>([
    ['--model openai:gpt-4o', 'openai:gpt-4o: No ', 'Set OPENAI_API_KEY'],
    ['--model anthropic:claude', 'Set ANTHROPIC_API_KEY'],
    ['--model together:llama', 'Set TOGETHER_API_KEY'],
    ['--model gemini:flash', 'Set GOOGLE_API_KEY or GEMINI_API_KEY'],
    [
      '--model bedrock:claude',
      'AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, AWS_PROFILE or AWS_BEARER_TOKEN_BEDROCK',
    ],
  ])('synth %s', (options, ...says) => expectRefused('synth --output-dir', options, 1, says));
});

describe('an output folder that is a file, or of somebody else, is reported, and left as it is (exit 2)', () => {
  test.each<[folder: string, ...says: string[]]>([
    ['file', 'file is a file, but a run needs a folder', 'Name another'],
    ['file/below', `${inFolder('file/below')} cannot be created: ${inFolder('file')} is a file`],
    ['file/far/below', `${inFolder('file/far/below')} cannot be created: ${inFolder('file')} is a file`],
  ])('%s', async (name, ...says) => {
    writeFileSync(inFolder('file'), 'Somebody wrote this.\n');
    expectRefusal(await giveCommand('synth', '--output-dir', inFolder(name), SYNTH), 2, says);
    expect(readFileSync(inFolder('file'), 'utf8')).toBe('Somebody wrote this.\n');
  });

  test.each(['{"format":1', '{"scripts":{"start":"run"}}', ''])(
    'one with a run.json of somebody else: %j',
    async (content) => {
      mkdirSync(inFolder('foreign'), { recursive: true });
      const file = inFolder('foreign/run.json');
      writeFileSync(file, content);
      const says = [`${file} is not the run.json of a run of this program`, 'Name another --output-dir'];
      expectRefusal(await giveCommand('synth', '--output-dir', inFolder('foreign'), SYNTH), 2, says);
      expect(readFilesBelow(inFolder('foreign')).size).toBe(2);
      expect(readFileSync(file, 'utf8')).toBe(content);
    },
  );
});

/** Expects that this option is refused for the content of its file. */
async function expectFileRefused(
  others: string,
  option: string,
  extension: string,
  content: string | Buffer,
  says: readonly string[],
): Promise<void> {
  const file = inFolder(`${option}.${extension}`);
  writeFileSync(file, content);
  const command = others === EVAL ? 'eval --results-dir' : 'synth --output-dir';
  await expectRefused(command, `${others} --${option} ${file}`, 2, [file, ...says]);
}

async function expectRefused(
  command: string,
  options: string,
  code: number,
  says: readonly string[],
): Promise<void> {
  const ended = await giveCommand(...`${command} ${out} ${options}`.split(' '));
  expectRefusal(ended, code, says);
  expect(existsSync(out)).toBe(false);
}
