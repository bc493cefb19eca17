import { join } from 'node:path';
import { startStandIn, type StandIn } from '../stand-in/chat-server';
import { createTemporaryFolder } from '../temporary-folder';
import { runLoaded } from './loaded-command';
import { readResultRows, writeInstances } from './results';

/** A server that drops what exceeds its window, and answers as if nothing had happened. */

const folder = createTemporaryFolder();
const inFolder = (name: string) => join(folder, name);
const DATA = inFolder('data.parquet');

let server: StandIn;
beforeAll(async () => {
  server = await startStandIn();
  await writeInstances(DATA, 4);
});
afterAll(() => server.goDown());

function evaluate(results: string) {
  const models = ['--model', server.spec, '--evaluator', 'simulated:default'];
  const options = ['--task', 'inference', '--context', 'full', 'none'];
  return runLoaded(['eval', '--data', DATA, '--results-dir', inFolder(results), ...models, ...options]);
}

test('a prompt that was cut to 51 to 75 % gets no score, says why, and changes no other score', async () => {
  expect(await evaluate('whole')).toMatchObject({ code: 0 });
  const whole = await readResultRows(inFolder('whole'));
  server.window = WINDOW;
  const longest = server.received
    .filter(({ tokens }) => tokens > WINDOW)
    .map(({ tokens }) => WINDOW / tokens);
  expect(longest).toHaveLength(12);
  expect([Math.min(...longest), Math.max(...longest)]).toEqual([
    expect.closeTo(0.5, 1),
    expect.closeTo(0.7, 1),
  ]);

  const ended = await evaluate('cut');
  expect(ended.stderr).toMatch(
    /An answer was not used, because its prompt did not fit\. \(.* read 2,100 tokens of a prompt of at least [\d,]+, and dropped the rest.*OLLAMA_CONTEXT_LENGTH/,
  );
  const cut = await readResultRows(inFolder('cut'));
  expect([...cut.keys()]).toEqual([...whole.keys()]);
  for (const [key, row] of cut) {
    if (row.context === 'full') {
      expect(row).toMatchObject({ state: 'missing', missing_step: 'infer', missing_kind: 'window-exceeded' });
    } else expect(row).toEqual(whole.get(key));
  }
  expect(ended.code).toBe(3);
  expect(ended.stdout).toMatch(/context full\n.*stand-in +– .* 0 +12\ncontext none\n/);
});

/** Tokens; the prompts with a whole history have 2,900 to 4,300, those without one far fewer. */
const WINDOW = 2_100;
