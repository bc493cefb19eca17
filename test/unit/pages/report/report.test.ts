import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { EVALUATION_COLUMNS } from '../../../../data/tables/columns';
import { writeParquet } from '../../../../data/tables/parquet';
import { buildReport } from '../../../../pages/report/report';
import { omitIsolation } from '../../../page-tables';
import { createTemporaryFolder } from '../../../temporary-folder';
import { buildResults, buildRows } from '../../runs/tables/results';

const folder = createTemporaryFolder();

async function writeResults(...path: string[]): Promise<string> {
  const results = join(folder, ...path);
  mkdirSync(results, { recursive: true });
  writeFileSync(join(results, 'results.json'), JSON.stringify(buildResults(buildRows())));
  await writeParquet(join(results, 'results.parquet'), EVALUATION_COLUMNS, []);
  return results;
}

test('folders of the same name are told apart by their paths, others have their names', async () => {
  const [one, other] = [await writeResults('a', 'results'), await writeResults('b', 'results')];
  const third = await writeResults('third');
  const page = omitIsolation(await buildReport([one, other, third]));
  for (const name of [one, other, 'third']) {
    expect(page).toContain(`<th class="depth-1" scope="row">Evaluation ${name}</th>`);
    // The sentences that compare models name their evaluation.
    expect(page).toMatch(new RegExp(`<li>Evaluation ${name}: \\S+ (?:is better than|and) `));
  }
});
