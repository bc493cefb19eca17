import { join } from 'node:path';
import { createTemporaryFolder } from '../temporary-folder';
import { countJournalEntries } from './journal';
import { runLoaded } from './loaded-command';
import { readResults, writeInstances } from './results';

const PERSONAS = 3;

const folder = createTemporaryFolder();
const DATA = join(folder, 'data.parquet');
const RESULTS = join(folder, 'results');
const JUDGES = ['lenient', 'harsh'].map((judge) => `simulated:default?judge=${judge}`);

test('each response to a contrastive row is judged once more, and a later command repeats nothing', async () => {
  await writeInstances(DATA, PERSONAS);
  const options = ['--data', DATA, '--task', 'generation', '--model', 'simulated:default'];
  const command = ['eval', '--results-dir', RESULTS, ...options, '--evaluator', ...JUDGES];
  expect(await runLoaded(command)).toMatchObject({ code: 0 });
  const before = await countJournalEntries(RESULTS);

  const ended = await runLoaded([...command, '--misapplication']);
  expect(ended).toMatchObject({ code: 0 });
  expect(await countJournalEntries(RESULTS)).toBe(before + PERSONAS * JUDGES.length);
  const found = (await readResults(RESULTS)).analyses.misapplication;
  expect(
    found?.map(({ evaluator, n_responses, n_missing, rate }) => ({
      evaluator,
      n_responses,
      n_missing,
      share: rate?.share,
    })),
  ).toEqual([
    { evaluator: JUDGES[1], n_responses: PERSONAS, n_missing: 0, share: 0 },
    { evaluator: JUDGES[0], n_responses: PERSONAS, n_missing: 0, share: 1 },
  ]);

  expect(await runLoaded(['eval', '--results-dir', RESULTS, '--rescore', '--misapplication'])).toMatchObject({
    code: 0,
  });
  expect(await countJournalEntries(RESULTS)).toBe(before + PERSONAS * JUDGES.length);
});
