import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { exportData } from '../../../publishing/export';
import { exportReportSchema, importReportSchema } from '../../../schemas/dataset/export';
import { runLoaded } from '../loaded-command';
import { createTemporaryFolder } from '../../temporary-folder';
import { AROUND, buildEdgeRecords, writeRun } from '../../unit/publishing/edge-data';

const folder = createTemporaryFolder();
const run = join(folder, 'run');
beforeAll(() => writeRun(run, buildEdgeRecords(2)));

test('the command exports and imports, says what it wrote and how to continue', async () => {
  const [layout, imported] = [join(folder, 'layout'), join(folder, 'imported')];
  const exported = await runLoaded(['export', run, '--format', 'reference', '--output-dir', layout]);
  expect(exported).toMatchObject({ code: 0 });
  expect(exported.stdout).toContain('Wrote 6 instances and 2 records');
  expect(exported.stdout).toMatch(/ {2}instances\/\*\.json +6 files, [\d,]+ bytes\n/);
  expect(exported.stdout).toContain(`cupid import ${layout}`);
  const brought = await runLoaded(['import', layout, '--output-dir', imported]);
  expect(brought).toMatchObject({ code: 0 });
  expect(brought.stdout).toContain('Imported 6 instances and 2 records');
  expect(brought.stdout).toContain('under cc-by-nc-sa-4.0');
  expect(brought.stdout).toContain(`cupid validate ${imported}`);
});

test('with --json it prints the report and nothing else; Parquet is what it exports to by default', async () => {
  const [out, back] = [join(folder, 'json'), join(folder, 'json-back')];
  const exported = await runLoaded(['export', join(run, 'CUPID-Raw'), '--output-dir', out, '--json']);
  expect(exportReportSchema.parse(JSON.parse(exported.stdout))).toMatchObject({
    format: 'parquet',
    records: 2,
  });
  expect(readdirSync(join(out, 'data'))).toEqual(['test-00000-of-00001.parquet']);
  const layout = join(folder, 'json-layout');
  await exportData(run, { format: 'reference', outputDir: layout }, AROUND);
  const brought = await runLoaded(['import', layout, '--output-dir', back, '--license', 'cc0-1.0', '--json']);
  expect(importReportSchema.parse(JSON.parse(brought.stdout))).toMatchObject({
    records: 2,
    license: 'cc0-1.0',
  });
});
