import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { readWholeProvenance } from '../../data/sets/provenance';
import { separateText } from '../../schemas/model/answer-text';
import { startStandIn, type StandIn } from '../stand-in/chat-server';
import { createTemporaryFolder } from '../temporary-folder';
import { wrapAnswer } from '../wrapped-answers';
import { hashDataSets } from './command';
import { runLoaded } from './loaded-command';

/** Number of the forms that an answer is wrapped in. */
const FORMS = wrapAnswer('').length;

const folder = createTemporaryFolder();
let server: StandIn;

let bare: Awaited<ReturnType<typeof runSmall>> | undefined;

beforeAll(async () => {
  server = await startStandIn();
});
afterEach(() => {
  server.wrap = undefined;
});
afterAll(() => server[Symbol.asyncDispose]());

test('a server that wraps its answers gives the same data as one that does not, and the card says so', async () => {
  await synthesize('bare');
  let answers = 0;
  let separated = 0;
  server.wrap = (text, answer) => {
    const wrapped = wrap(text, answer);
    answers += 1;
    if (separateText(wrapped).reasoning !== undefined) separated += 1;
    return wrapped;
  };
  await synthesize('wrapped');

  expect(await hashDataSets(join(folder, 'wrapped'))).toEqual(await hashDataSets(join(folder, 'bare')));
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

// One form in seven, so some of each kind: the run above and the unit tests read all of them.
const SHOWN = wrapAnswer('ANSWER').map((shown, form) => [shown, form] as const);
test.each(SHOWN.filter(([, form]) => form % 7 === 0))(
  'runs whose answers are all in this form have the same data and scores: %j',
  async (shown, form) => {
    bare ??= await runSmall('bare-small', true);
    server.wrap = (text) => wrap(text, form);
    // A response about a conversation may draft one, so a label without a mark stays in it.
    const isDraft = /\n\n(?:\*\*)?(?:User|USER|Human):/.test(shown);
    const { data, results } = await runSmall(`form-${form}`, !isDraft);
    expect(data).toEqual(bare.data);
    if (!isDraft) expect(results).toEqual(bare.results);
  },
);

async function synthesize(name: string, options: readonly string[] = []): Promise<void> {
  const args = ['synth', '--output-dir', join(folder, name), '--model', server.spec, '--n-personas', '1'];
  expect(await runLoaded([...args, ...options])).toMatchObject({
    code: 0,
    stdout: expect.stringContaining('no failures'),
  });
}

/** Runs the smallest synthesis, and an evaluation of an instance of `bare-small`. Returns digests of the data, and the results. */
async function runSmall(name: string, isEvaluated: boolean) {
  await synthesize(name, ['--n-factors', '3', '--n-sessions', '9', '--max-turns', '4']);
  const data = await hashDataSets(join(folder, name));
  return {
    data,
    ...(isEvaluated && { results: await evaluate('bare-small', `${name}-results`, ['--limit', '1']) }),
  };
}

async function evaluate(data: string, name: string, options: readonly string[] = []): Promise<string> {
  const args = ['eval', '--data', join(folder, data, 'CUPID-Unverified', 'test.parquet'), '--task', 'both'];
  const models = ['--model', server.spec, '--evaluator', server.spec, '--results-dir', join(folder, name)];
  expect(await runLoaded([...args, ...models, ...options])).toMatchObject({ code: 0 });
  return readFile(join(folder, name, 'results.parquet'), 'base64');
}

function wrap(text: string, answer: number): string {
  return wrapAnswer(text)[answer % FORMS] ?? text;
}
