import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { renderLines } from '../unit/data/sets/instances';
import { synthesizeInstances } from '../unit/models/simulated/evaluation';
import { openSimulated } from '../unit/models/simulated/persona';
import { runCupid, startCupid } from './command';
import { NOBODY } from '../stand-in/nobody';
import { createTemporaryFolder } from '../temporary-folder';
import { untilJournalHas } from './journal';
import { runLoaded } from './loaded-command';
import { untilSaid, interrupt } from './processes';
import { expectNoStackTrace, expectRefusal, readFilesBelow } from './refusal';
import { readResultRows, readResults } from './results';

const scene = createTemporaryFolder();
const inScene = (name: string) => join(scene, name);
const WHO = ['--model', 'simulated:default', '--evaluator', 'simulated:default'];

const good = inScene('good.jsonl');

// Faulty data: run-folders.test.ts, test/unit/data/sets/read.test.ts. Wrong options: test/unit/cli/refused.test.ts.

beforeAll(async () => {
  writeFileSync(good, renderLines(await synthesizeInstances(openSimulated(), 2)));
});

describe('a model of one’s own', () => {
  test('that is not there is reported before anything is begun (exit 1), and on a cluster refused (exit 2)', async () => {
    const none = `module:${inScene('none.mjs')}`;
    const who = ['--model', none, '--evaluator', 'simulated:default'];
    const command = ['eval', '--results-dir', inScene('module'), '--data', good, ...who];
    expectRefusal(await runLoaded(command), 1, [
      `${none}: There is no file ${inScene('none.mjs')}`,
      'relative to the current directory',
    ]);
    const ended = await runLoaded(command, { TEMPORAL_ADDRESS: NOBODY });
    expectRefusal(ended, 2, [
      `${none}: a module or command runs on this machine only`,
      'Unset TEMPORAL_ADDRESS',
    ]);
    expect(readFilesBelow(inScene('module'))).toEqual(new Map());
  });

  test('that is no function stops the evaluation (exit 1), and another model is evaluated in the same folder', async () => {
    writeFileSync(inScene('five.mjs'), 'export default 5;\n');
    const few = ['--data', good, '--limit', '1', '--context', 'none', '--evaluator', 'simulated:default'];
    const command = ['eval', '--results-dir', inScene('own'), ...few];
    const stopped = await runLoaded([...command, '--model', `module:${inScene('five.mjs')}`]);
    expect(stopped).toMatchObject({ code: 1 });
    expect(stopped.stdout).toMatch(/module:five\.mjs +– +– +0 +0 +1$/m);
    expect(stopped.stderr).toContain('module:five.mjs has no default export that is a function');
    expectNoStackTrace(stopped);

    const other = await runLoaded([...command, '--model', 'simulated:default']);
    expect(other).toMatchObject({ code: 0 });
    expect(other.stderr).toContain('Removed from the results: inference by module:');
    const rows = [...(await readResultRows(inScene('own'))).values()];
    expect(rows.map(({ model: name, state }) => [name, state])).toEqual([['simulated:default', 'scored']]);

    // A model that fails by itself has given no answer to be judged by: its work is left open, and the reason is reported.
    writeFileSync(inScene('throws.mjs'), 'export default () => { throw new Error("Boom"); };\n');
    const throwing = await runLoaded([...command, '--model', `module:${inScene('throws.mjs')}`]);
    expect(throwing).toMatchObject({ code: 1 });
    expect(throwing.stdout).toMatch(/module:throws\.mjs +– +– +0 +0 +1$/m);
    expect(throwing.stderr).toContain('Boom');
    expectNoStackTrace(throwing);

    // Fixed, the same command does it: in a process of its own, since a module is loaded once.
    writeFileSync(
      inScene('throws.mjs'),
      `export default () => '### Most Likely Preference\\n\\nShort answers.';\n`,
    );
    const fixed = await runCupid([...command, '--model', `module:${inScene('throws.mjs')}`]);
    expect(fixed).toMatchObject({ code: 0 });
    expect(fixed.stdout).toMatch(/module:throws\.mjs +\S+ +– .* 1 +0$/m);
  });
});

test('a matcher that is not there is waited for and that is reported; Ctrl-C works, and the folder continues without it', async () => {
  const folder = inScene('matcher');
  const nowhere = `openai-compatible:kixlab/prefmatcher-7b@http://${NOBODY}/v1`;
  const few = ['--data', good, '--limit', '1', '--context', 'none', ...WHO];
  const command = ['eval', '--results-dir', folder, ...few];
  const waiting = startCupid([...command, '--use-matcher', '--matcher', nowhere]);
  // An inference, and what it was taken apart into.
  await untilJournalHas(folder, 2, waiting);
  await untilSaid(waiting, 'Calls do not reach the model, and are sent again until they do.');
  const interrupted = await interrupt(waiting);
  expect(interrupted.stdout).toBe('');
  expect(interrupted.stderr).toContain('Continue with the same command');
  expectNoStackTrace(interrupted);

  const without = await runLoaded(command);
  expect(without).toMatchObject({ code: 0 });
  const rows = [...(await readResultRows(folder)).values()];
  expect(rows.map(({ evaluator_form, state }) => [evaluator_form, state])).toEqual([['evaluator', 'scored']]);
});

describe('results of several commands do not get into each other’s way', () => {
  test('scored again, they are what they were, with what was studied; each decomposer has files of its own', async () => {
    const few = ['--data', good, '--task', 'both', '--context', 'none', '--limit', '2'];
    const command = ['eval', '--results-dir', inScene('again'), ...WHO, ...few, '--judge-repeats', '2'];
    expect(await runLoaded(command)).toMatchObject({ code: 0 });
    const before = readFilesBelow(inScene('again'));
    expect(await runLoaded(['eval', '--results-dir', inScene('again'), '--rescore'])).toMatchObject({
      code: 0,
    });
    const after = readFilesBelow(inScene('again'));
    // The one has its keys in another order; the other may get a line when the command is done.
    for (const files of [before, after])
      for (const file of ['run.json', join('.cupid', 'worker.log')]) files.delete(file);
    expect(after).toEqual(before);
    expect((await readResults(inScene('again'))).analyses.judge_reliability).toBeDefined();

    const other = ['--decomposer', 'simulated:default?latency=1ms'];
    const again = ['eval', `--results-dir=${inScene('again')}`, '--rescore', '--evaluator=simulated:default'];
    expect(await runLoaded([...again, '--task', 'inference', ...other])).toMatchObject({ code: 0 });
    const rows = [...(await readResultRows(inScene('again'))).values()].filter(
      ({ task }) => task === 'inference',
    );
    const files = [...readFilesBelow(inScene('again')).keys()].filter((file) =>
      /^instances.*\.json$/.test(file),
    );
    const written = files.map((file) => readFileSync(join(inScene('again'), file), 'utf8'));
    expect(rows).toHaveLength(4);
    for (const { inferred_checklist } of rows) {
      expect(
        written.filter((text) => text.includes(`"checklist": ${indented(inferred_checklist)}`)),
      ).not.toEqual([]);
    }
    expect(files.filter((file) => file.includes('decomposed by'))).toHaveLength(4);
  });
});

/** Formats a list as in an instance's file, three levels deep. */
function indented(list: readonly string[] | null): string {
  return JSON.stringify(list, null, 2).replaceAll('\n', '\n      ');
}
