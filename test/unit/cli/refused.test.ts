import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { buildInstances, renderLines } from '../data/sets/instances';
import { expectNoStackTrace, expectRefusal, readFilesBelow } from '../../end-to-end/refusal';
import { expectGolden, type TitledText } from '../../golden';
import { createTemporaryFolder } from '../../temporary-folder';
import { giveCommand } from './give-command';

const folder = createTemporaryFolder();
const inFolder = (name: string) => join(folder, name);
const out = inFolder('out');

const SIMULATED = '--model=simulated:default';
const JUDGED = `${SIMULATED} --evaluator=simulated:default`;
let files = 0;

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
  test('synth', () =>
    expectRefusals('refused-synth.txt', 2, [
      synth('--model opnai:gpt-4o'),
      synth('--model gpt-4o'),
      synth('--model openai:'),
      synth('--model openai-compatible:llama'),
      synth('--model openai:gpt-4o@http://localhost:8000/v1'),
      synth('--model openai:gpt-4o?temperature=0'),
      synth('--model simulated:default?latncy=1s'),
      synth(`${SIMULATED} --user-model simulated:default?malformed=2`),
      synth(`${SIMULATED} --n-sessions 8`),
      synth(`${SIMULATED} --n-sessions 200`),
      synth(`${SIMULATED} --n-factors 2`),
      synth(`${SIMULATED} --concurrency 0`),
      synth(`${SIMULATED} --n-personas 0`),
      synth(`${SIMULATED} --n-personas four`),
      synth(`${SIMULATED} --max-turns 2.5`),
      synth(`${SIMULATED} --seed 2147483648`),
      synth(`${SIMULATED} --n_personas 4`),
      synth(`${SIMULATED} --estimate --tier flex`),
      synth(`${SIMULATED} --seeds ${inFolder('nowhere')}`),
      synth(`${SIMULATED} --seeds ${folder}`),
      synth(`${SIMULATED} --prompts ${inFolder('nowhere')}`),
      synth(`${SIMULATED} --settings ${inFolder('nowhere')}`),
      synth(`${SIMULATED} --personas a --seeds b`),
    ]));

  test('eval', () =>
    expectRefusals('refused-eval.txt', 2, [
      evaluate('--evaluator simulated:default'),
      evaluate(SIMULATED),
      evaluate('--model opnai:gpt --evaluator simulated:default'),
      evaluate(`${JUDGED} --context ful`),
      evaluate(`${JUDGED} --types new`),
      evaluate(`${JUDGED} --task infer`),
      evaluate(`${JUDGED} --limit 0`),
      evaluate(`${JUDGED} --task choice --stress 5`),
      evaluate(`${JUDGED} --judge-repeats 1`),
      evaluate(`${JUDGED} --matcher simulated:default`),
      evaluate(`${JUDGED} --misapplication`),
      evaluate(`${JUDGED} --oracle-preference`),
      evaluate(`${JUDGED} --compare nowhere`),
      evaluate(`${JUDGED} --labels ${inFolder('nowhere')}`),
      evaluate('--rescore'),
      evaluate('--rescore --limit 1 --context none'),
    ]));
});

test.each([
  ['synth', `--output-dir ${out} ${SIMULATED}`],
  ['eval', `--results-dir ${out} --data ${inFolder('data.jsonl')} ${JUDGED}`],
])('%s --estimate rejects a rate that the command rejects', async (command, words) => {
  const rate = ['--estimate', '--rate', 'simulated:other 60rpm'];
  const refusal = await giveCommand(command, ...words.split(' '), ...rate);
  expectRefusal(refusal, 2, ['The run does not use simulated:other.']);
});

test.each([
  [['--judge-repeats', '2'], '--judge-repeats: applies to generation only. Add --task generation'],
  [['--errors', '2'], '--errors: applies to inference only. Add --task inference'],
])('eval --task choice %j names the task that the option belongs to', async (words, why) => {
  const command = ['eval', '--results-dir', folder, '--task', 'choice', ...words];
  expectRefusal(await giveCommand(...command), 2, [why]);
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

const PEOPLE = 'occupation,description\nCook,Cooks.\nBaker,\n';
const TAXONOMY = JSON.stringify({
  factor_types: ['A', 'B', 'C'],
  task_types: ['D'],
  preference_types: ['E', 'F'],
});
const LABELS = { preference: 'Short.', checklist: ['Is it short?'], labels: [['Fully Covered']] };

test('a file that the command line names is checked before anything is written (exit 2)', () =>
  expectRefusals('refused-files.txt', 2, [
    synth(`${SIMULATED} --seeds`, 'jsonl', '{"persona":"A baker from Bern."}\n'),
    synth(`${SIMULATED} --seeds`, 'txt', 'A baker from Bern.\nA nurse who sails.\nSomebody else.\n'),
    synth(`${SIMULATED} --settings`, 'yaml', 'stepz: {}'),
    synth(`${SIMULATED} --settings`, 'yaml', 'nPersonas: 7'),
    synth(`${SIMULATED} --settings`, 'yaml', 'steps: { usr: { maxRepairs: 1 } }'),
    synth(`${SIMULATED} --settings`, 'yaml', ''),
    synth(`${SIMULATED} --settings`, 'yaml', 'steps:'),
    synth(`${SIMULATED} --settings`, 'yaml', 'steps: ['),
    synth(`${SIMULATED} --personas`, 'csv', PEOPLE),
    synth(`${SIMULATED} --taxonomy`, 'yaml', TAXONOMY),
    evaluate(`${JUDGED} --settings`, 'yaml', 'steps: { user: { maxRepairs: 1 } }'),
    evaluate(`${JUDGED} --settings`, 'yaml', 'steps: { infer: { maxRepairs: -1 } }'),
    evaluate(`${JUDGED} --settings`, 'yaml', 'steps: { infer: { asks: 5, samples: 2 } }'),
    evaluate(`${JUDGED} --labels`, 'jsonl', renderLines([LABELS, { ...LABELS, labels: [['Mostly']] }])),
    evaluate(`${JUDGED} --labels`, 'jsonl', `${renderLines([LABELS])}\n{"preference":\n`),
  ]));

test('server with two folders is rejected, because it shows one', async () => {
  const refusal = await giveCommand('server', '--output-dir', out, '--results-dir', inFolder('results'));
  expectRefusal(refusal, 2, ["option '--results-dir <dir>' cannot be used with option '--output-dir <dir>'"]);
});

test('a key that is missing is named with how to set it, and nothing is written (exit 1)', () =>
  expectRefusals('refused-keys.txt', 1, [
    synth('--model openai:gpt-4o'),
    synth('--model anthropic:claude'),
    synth('--model together:llama'),
    synth('--model gemini:flash'),
    synth('--model bedrock:claude'),
  ]));

describe('an output folder that is a file, or of somebody else, is reported, and left as it is (exit 2)', () => {
  test.each<[folder: string, ...says: string[]]>([
    ['file', 'file is a file, but a run needs a folder', 'Name another'],
    ['file/below', `${inFolder('file/below')} cannot be created: ${inFolder('file')} is a file`],
    ['file/far/below', `${inFolder('file/far/below')} cannot be created: ${inFolder('file')} is a file`],
  ])('%s', async (name, ...says) => {
    writeFileSync(inFolder('file'), 'Somebody wrote this.\n');
    expectRefusal(await giveCommand('synth', '--output-dir', inFolder(name), SIMULATED), 2, says);
    expect(readFileSync(inFolder('file'), 'utf8')).toBe('Somebody wrote this.\n');
  });

  test.each(['{"format":1', '{"scripts":{"start":"run"}}', ''])(
    'one with a run.json of somebody else: %j',
    async (content) => {
      mkdirSync(inFolder('foreign'), { recursive: true });
      const file = inFolder('foreign/run.json');
      writeFileSync(file, content);
      const says = [`${file} is not the run.json of a run of this program`, 'Name another --output-dir'];
      expectRefusal(await giveCommand('synth', '--output-dir', inFolder('foreign'), SIMULATED), 2, says);
      expect(readFilesBelow(inFolder('foreign')).size).toBe(2);
      expect(readFileSync(file, 'utf8')).toBe(content);
    },
  );
});

/** A command line, and what the golden file calls it. */
type Refused = readonly [title: string, line: string];

function synth(...options: FileOptions): Refused {
  return commandOf('synth', `--output-dir ${out}`, options);
}

function evaluate(...options: FileOptions): Refused {
  return commandOf('eval', `--results-dir ${out} --data ${inFolder('data.jsonl')}`, options);
}

/** Options; the last of them may name a file, whose extension and content follow. */
type FileOptions = [options: string, extension?: string, content?: string | Buffer];

function commandOf(command: string, first: string, [options, extension, content]: FileOptions): Refused {
  if (content === undefined) return [`${command} ${options}`, `${command} ${first} ${options}`];
  files += 1;
  const file = inFolder(`file-${files}.${extension}`);
  writeFileSync(file, content);
  return [
    `${command} ${options} ${JSON.stringify(String(content))}`,
    `${command} ${first} ${options} ${file}`,
  ];
}

/** Expects every command to end with this code and to write nothing; a golden file has what they say. */
async function expectRefusals(golden: string, code: number, commands: readonly Refused[]): Promise<void> {
  const cases: TitledText[] = [];
  for (const [title, line] of commands) {
    const ended = await giveCommand(...line.split(' '));
    expect([title, ended.code, ended.stdout, existsSync(out)]).toEqual([title, code, '', false]);
    expectNoStackTrace(ended);
    cases.push([title, ended.stderr]);
  }
  expectGolden(golden, cases, folder);
}
