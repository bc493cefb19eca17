import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import * as z from 'zod';
import { instanceSchema, type Instance } from '../../schemas/dataset/instance';
import { provenanceSchema } from '../../schemas/dataset/provenance';
import { needing } from '../parts/needing';
import { PUBLISHED, readFolder, readWithAllReaders, type Reading } from '../readers/readers';
import { createTemporaryFolder } from '../temporary-folder';
import { runLoaded } from '../end-to-end/loaded-command';

const { describe, test } = needing('readers');

const run = join(createTemporaryFolder(), 'run');

beforeAll(async () => {
  const options = ['--model', 'simulated:default', '--n-personas', '2', '--max-turns', '4'];
  expect(await runLoaded(['synth', '--output-dir', run, ...options])).toMatchObject({ code: 0 });
});

describe('what a run leaves is read by pyarrow, polars, DuckDB and datasets alike', () => {
  test('CUPID-Unverified, under exactly the published columns, as Parquet, as Arrow and by its card', async () => {
    const folder = join(run, 'CUPID-Unverified');
    const parquet = await readWithAllReaders(join(folder, 'test.parquet'));
    expect(Object.keys(parquet).toSorted()).toEqual(['datasets', 'duckdb', 'polars', 'pyarrow']);
    const arrow = await readWithAllReaders(join(folder, 'test.arrow'));
    expect(Object.keys(arrow).toSorted()).toEqual(['datasets', 'polars', 'pyarrow']);
    const rows = agreed(
      [...Object.values(parquet), ...Object.values(arrow), await readFolder(folder)],
      PUBLISHED,
    );
    const instances = z.array(instanceSchema).parse(rows);
    // Exactly the fields of the schema.
    expect(instances).toEqual(rows);
    expect(instances.map(keyOf)).toEqual(KEYS);
    expectWhatConsumersCheck(instances);
  });

  test('the canary in the metadata of each file is that of both cards', async () => {
    const files = ['CUPID-Unverified/test.parquet', 'CUPID-Unverified/test.arrow', 'CUPID-Raw/test.parquet'];
    const lines = new Set<string | undefined>();
    for (const file of files) {
      const { pyarrow } = await readWithAllReaders(join(run, file));
      expect(pyarrow?.marks).toMatchObject({ simulated: true });
      lines.add(pyarrow?.marks?.canary);
    }
    const [line = ''] = lines;
    expect([...lines]).toEqual([expect.stringMatching(/canary GUID [\da-f]{8}-/)]);
    for (const name of ['CUPID-Unverified', 'CUPID-Raw']) {
      expect(await readFile(join(run, name, 'README.md'), 'utf8')).toContain(`\n\n${line}\n\n`);
    }
  });

  test('CUPID-Raw, a row a persona, as Parquet and by its card', async () => {
    const folder = join(run, 'CUPID-Raw');
    const parquet = await readWithAllReaders(join(folder, 'test.parquet'));
    const byCard = await readFolder(folder);
    const rows = agreed([...Object.values(parquet), byCard], byCard.columns);
    const names = byCard.columns.map((column) => column.slice(0, column.indexOf(':')));
    expect(names).toEqual(['persona_id', 'persona', 'context_factors', 'sessions', 'interactions']);
    const personas = z.array(rawRowSchema).parse(rows);
    expect(personas.map(({ persona }) => persona.id)).toEqual([1, 2]);
    for (const { context_factors: factors, sessions, interactions } of personas) {
      expect([factors.length, sessions.length, interactions.length]).toEqual([8, 13, 12]);
    }
  });

  test('provenance, a row an instance, under the same keys', async () => {
    const readings = await readWithAllReaders(join(run, 'provenance.parquet'));
    const rows = agreed(Object.values(readings), readings['pyarrow']?.columns ?? []);
    const provenance = z.array(provenanceSchema).parse(rows);
    expect(provenance).toEqual(rows);
    expect(provenance.map(keyOf)).toEqual(KEYS);
    for (const row of provenance) {
      expect(row).toMatchObject({ simulated: true, seed: 42, answered_by: ['simulated:default'] });
      expect(row.prior_sessions).toHaveLength(8);
    }
  });
});

/** Persona and instance type of each row, in order. */
const KEYS = [1, 2].flatMap((persona) =>
  ['consistent', 'contrastive', 'changing'].map((type) => `${persona} ${type}`),
);

const rawRowSchema = z.object({
  persona: z.object({ id: z.number() }),
  context_factors: z.array(z.unknown()),
  sessions: z.array(z.unknown()),
  interactions: z.array(z.unknown()),
});

/** Returns the rows that all readings have in common, under these columns. */
function agreed(readings: readonly Reading[], columns: readonly string[]): unknown[] {
  const [first] = readings;
  for (const reading of readings) {
    expect(reading.columns).toEqual(columns);
    expect(reading.rows).toEqual(first?.rows);
  }
  return first?.rows ?? [];
}

function keyOf(row: { readonly persona_id: string; readonly instance_type: string }): string {
  return `${Number.parseInt(row.persona_id, 10)} ${row.instance_type}`;
}

/** Checks the properties that consumers of the published data set rely on. */
function expectWhatConsumersCheck(instances: readonly Instance[]): void {
  for (const instance of instances) {
    const { prior_interactions: prior, current_context_factor: current } = instance;
    expect(prior).toHaveLength(8);
    const same = prior.filter((one) => one.context_factor === current);
    expect(same.length).toBeGreaterThanOrEqual(1);
    expect(prior.length - same.length).toBeGreaterThanOrEqual(2);
    const ofPersona = instances.filter((one) => one.persona_id === instance.persona_id);
    expect(new Set(ofPersona.map((one) => one.current_request)).size).toBe(1);
    expect(instance.current_checklist.length).toBeGreaterThan(0);
    for (const { dialogue } of prior) {
      expect(dialogue.map(({ role }) => role)).toEqual(
        dialogue.map((_, index) => (index % 2 === 0 ? 'user' : 'assistant')),
      );
    }
    const texts = [
      instance.current_request,
      ...instance.current_checklist,
      ...prior.flatMap((one) => [
        one.context_factor,
        one.contextual_preference,
        ...one.dialogue.map(({ content }) => content),
      ]),
    ];
    expect(texts.filter((text) => text.trim() === '')).toEqual([]);
  }
}
