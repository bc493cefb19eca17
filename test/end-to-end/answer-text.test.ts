import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { readWholeProvenance } from '../../data/sets/provenance';
import { startStandIn, type StandIn } from '../stand-in/chat-server';
import { createTemporaryFolder } from '../temporary-folder';
import { hashDataSets } from './command';
import { runLoaded } from './loaded-command';

const HM = 'Hm.\n\n### Most Likely Preference\nNo.\n\n```json\n{"checklist": []}\n```';

// All forms: test/unit/models/answers.test.ts.
/** Forms of text that servers leave around an answer; the first ones contain reasoning. */
const FORMS: readonly ((text: string) => string)[] = [
  (text) => `<think>\n${HM}\n</think>\n\n${text}`,
  (text) => `${HM}\n</think>\n\n${text}`,
  (text) =>
    `<|channel|>analysis<|message|>${HM}<|end|><|start|>assistant<|channel|>final<|message|>${text}<|return|>`,
  (text) => `<|im_start|>assistant\n${text}<|im_end|>\n<|im_start|>user\nAnd then?`,
  (text) => `${text}\n<|im_start|>user\nThanks, now shorter.`,
  (text) => `${text}\n\n### User:\nThanks, now shorter.`,
  (text) => `${text}\n\n---`,
];
const THINKING = 3;

const folder = createTemporaryFolder();
let server: StandIn;

beforeAll(async () => {
  server = await startStandIn();
});
afterAll(() => server[Symbol.asyncDispose]());

test('a server that wraps its answers gives the same data as one that does not, and the card says so', async () => {
  const synthesize = async (name: string) => {
    const args = ['synth', '--output-dir', join(folder, name), '--model', server.spec, '--n-personas', '1'];
    expect(await runLoaded(args)).toMatchObject({ code: 0, stdout: expect.stringContaining('no failures') });
  };
  await synthesize('bare');
  const used = new Map<number, number>();
  server.wrap = (text, answer) => {
    const form = answer % FORMS.length;
    used.set(form, (used.get(form) ?? 0) + 1);
    return FORMS[form]?.(text) ?? text;
  };
  await synthesize('wrapped');
  server.wrap = undefined;

  expect(used.size).toBe(FORMS.length);
  expect(await hashDataSets(join(folder, 'wrapped'))).toEqual(await hashDataSets(join(folder, 'bare')));
  const answers = [...used.values()].reduce((sum, count) => sum + count, 0);
  const separated = [...used].reduce((sum, [form, count]) => sum + (form < THINKING ? count : 0), 0);
  const card = await readFile(join(folder, 'wrapped', 'CUPID-Unverified', 'README.md'), 'utf8');
  expect(card).toContain(`Reasoning was separated from ${separated} of ${answers} answers.`);
  expect(card).toContain('Special tokens or invented turns, with everything after them, were cut off from');
  expect(await readFile(join(folder, 'bare', 'CUPID-Unverified', 'README.md'), 'utf8')).not.toContain(
    'separated from',
  );
  const { stdout } = await runLoaded(['status', join(folder, 'wrapped')]);
  expect(stdout).toContain(`reasoning separated from ${separated}`);
  for await (const row of readWholeProvenance(join(folder, 'wrapped', 'provenance.parquet'))) {
    expect(row.separated_answers).toBeGreaterThan(0);
    expect(row.separated_answers).toBeLessThanOrEqual(separated);
  }
});

test('a model under test and an evaluator that reason in their answers give the same scores', async () => {
  const evaluate = async (name: string) => {
    const data = join(folder, 'bare', 'CUPID-Unverified', 'test.parquet');
    const args = ['eval', '--data', data, '--results-dir', join(folder, name), '--model', server.spec];
    expect(await runLoaded([...args, '--evaluator', server.spec, '--task', 'both'])).toMatchObject({
      code: 0,
    });
    return readFile(join(folder, name, 'results.parquet'));
  };
  const bare = await evaluate('bare-results');
  server.wrap = (text, answer) => FORMS[answer % FORMS.length]?.(text) ?? text;
  expect((await evaluate('wrapped-results')).equals(bare)).toBe(true);
});
