import { execFile } from 'node:child_process';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { array, assert, asyncProperty, string } from 'fast-check';
import { RECORD_COLUMNS } from '../../../data/tables/columns';
import { findCard } from '../../../data/folders/folder';
import { openData } from '../../../data/sets/open';
import { readInstances } from '../../../data/sets/read';
import { writeJsonLines } from '../../../data/tables/json-lines';
import { renderInteractionLog } from '../../../data/prompts/evaluation-values';
import { splitInstances } from '../../../rules/instances/split';
import { renderChecklist } from '../../../data/prompts/values';
import { exportData } from '../../../publishing/export';
import { importData } from '../../../publishing/import';
import { compareNames } from '../../../publishing/reference-layout';
import type { PersonaRecord } from '../../../schemas/dataset/record';
import { getPart, needing } from '../../parts/needing';
import { collect } from '../../unit/data/sets/instances';
import { AROUND, buildEdgeInstances, buildEdgeRecords, writeRun } from '../../unit/publishing/edge-data';
import { buildSoundInstances, SEED } from '../../unit/publishing/sound-data';
import { createTemporaryFolder } from '../../temporary-folder';

const withPython = needing('python');

const folder = createTemporaryFolder();
let run: string;
let layout: string;
const records = buildEdgeRecords(12);
const instances = buildEdgeInstances(12);

beforeAll(async () => {
  run = await writeRun(join(folder, 'run'), records);
  layout = join(folder, 'layout');
  await exportData(run, { format: 'reference', outputDir: layout }, AROUND);
});

/** Returns whether a session's factor is neither of the contrastive pair. */
function isOther({ context_factors: factors, sessions }: PersonaRecord, id: number): boolean {
  const factor = sessions.find((session) => session.id === id)?.context_factor;
  return factors.find((one) => one.factor === factor)?.related_factor === 'N/A';
}

let number = 0;
const newFolder = () => join(folder, `out-${(number += 1)}`);

/** Reads the layout in Python, independently of this program. */
async function readByPython(what: 'evaluation' | 'synthesis' | 'instances' | 'written'): Promise<unknown> {
  const script = join(__dirname, 'read_reference.py');
  const { stdout } = await promisify(execFile)(getPart('python'), [script, what, layout], {
    maxBuffer: 1024 ** 3,
  });
  return JSON.parse(stdout);
}

describe('the exported layout', () => {
  withPython.test(
    'gives the reference’s evaluation of every instance the log, the request and the truth that ours has',
    async () => {
      const expected = instances.map((instance) => [
        `${instance.persona_id}+${instance.instance_type}`,
        {
          key: [instance.persona_id, instance.instance_type],
          log: renderInteractionLog(instance.prior_interactions),
          request: instance.current_request,
          preference: instance.current_contextual_preference,
          checklist: renderChecklist(instance.current_checklist),
        },
      ]);
      expect(await readByPython('evaluation')).toEqual(Object.fromEntries(expected));
    },
  );

  withPython.test(
    'has each persona’s file where its number and occupation say, with the last session’s request and no answer to it',
    async () => {
      const expected = records.map(({ persona, context_factors: factors, sessions, interactions }) => [
        persona.id,
        {
          description: persona.description,
          factors: factors.map(({ factor }) => factor),
          sessions: sessions.map(({ id, preference, resource = null }) => {
            const chat = interactions.find(({ session_id: session }) => session === id)?.chat;
            return [id, preference, resource, chat?.length ?? 2];
          }),
        },
      ]);
      const found = await readByPython('synthesis');
      expect(found).toEqual(Object.fromEntries(expected));
      expect(Object.values(Object(found))).toHaveLength(12);
    },
  );

  withPython.test(
    'gives the reference’s making of instances the requests and truths that ours have',
    async () => {
      const expected = records.map((record) => {
        const split = splitInstances(record, SEED);
        const [consistent] = split;
        const rows = split.map(({ instance, priorSessions }) => ({
          type: instance.instance_type,
          request: instance.current_request,
          factor: instance.current_context_factor,
          preference: instance.current_contextual_preference,
          checklist: instance.current_checklist,
          relevant: priorSessions.filter((id) => !isOther(record, id)),
          others: consistent?.priorSessions.filter((id) => isOther(record, id)),
        }));
        return [record.persona_id, rows];
      });
      expect(await readByPython('instances')).toEqual(Object.fromEntries(expected));
    },
  );

  withPython.test(
    'is byte for byte the JSON that Python writes: indented by 4, of instances by 2, in ASCII',
    async () => {
      expect(await readByPython('written')).toEqual({ files: 1 + 12 + 36, different: [] });
    },
  );

  test('keeps the order of keys that the reference has', () => {
    const [name = ''] = readdirSync(join(layout, 'data'));
    const file: unknown = JSON.parse(readFileSync(join(layout, 'data', name), 'utf8'));
    expect(Object.keys(Object(file))).toEqual(['context_factors', 'sessions', 'interactions']);
    const { sessions, interactions } = Object(file);
    expect(Object.keys(Object(sessions[1]))).toEqual([
      'id',
      'context_factor',
      'preference',
      'task_type',
      'story',
      'request_with_factor_and_preference',
      'request_with_factor',
      'resource',
      'checklist',
    ]);
    expect(Object.keys(Object(sessions[0]))).not.toContain('resource');
    expect(Object.keys(Object(interactions[0]))).toEqual([
      'session_id',
      'preference',
      'checklist',
      'chat',
      'is_satisfied',
    ]);
  });
});

describe('exported and imported again', () => {
  test('a run’s two data sets are the same bytes', async () => {
    const out = newFolder();
    const report = await importData(layout, { outputDir: out, license: 'cc-by-4.0' });
    expect(report).toMatchObject({ instances: 36, records: 12, personasWithoutData: [], notes: [] });
    for (const file of ['CUPID-Raw/test.parquet', 'CUPID-Unverified/test.parquet']) {
      expect(readFileSync(join(out, file))).toEqual(readFileSync(join(run, file)));
    }
  });

  test('records alone, and instances alone, are the same bytes, and the output lists what is not written', async () => {
    for (const [dataSet, other, missing] of [
      ['CUPID-Raw', 'CUPID-Unverified', 'instances/'],
      ['CUPID-Unverified', 'CUPID-Raw', 'personas.json'],
    ] as const) {
      const [between, out] = [newFolder(), newFolder()];
      const report = await exportData(
        join(run, dataSet),
        { format: 'reference', outputDir: between },
        AROUND,
      );
      expect(report.notes).toEqual([expect.stringContaining(missing)]);
      await importData(between, { outputDir: out, license: 'cc-by-4.0' });
      expect(readFileSync(join(out, dataSet, 'test.parquet'))).toEqual(
        readFileSync(join(run, dataSet, 'test.parquet')),
      );
      expect(readdirSync(out)).not.toContain(other);
    }
  });

  test('the imported folder can be exported and evaluated on as a run’s', async () => {
    const [out, again] = [newFolder(), newFolder()];
    await importData(layout, { outputDir: out, license: 'cc-by-4.0' });
    await exportData(out, { format: 'reference', outputDir: again }, AROUND);
    for (const name of [
      'personas.json',
      ...readdirSync(join(layout, 'instances')).map((one) => `instances/${one}`),
    ]) {
      expect(readFileSync(join(again, name))).toEqual(readFileSync(join(layout, name)));
    }
    expect(await collect(readInstances(await openData(out, AROUND)))).toEqual(instances);
    // Nobody names the license again.
    expect(await importData(again, { outputDir: newFolder() })).toMatchObject({ license: 'cc-by-4.0' });
  });

  test('any text comes back as it was', async () => {
    const [template] = buildSoundInstances(1);
    if (template === undefined) throw new Error('There is no instance.');
    const text = string({ unit: 'binary', minLength: 1 }).filter((one) => one.trim() !== '');
    await assert(
      asyncProperty(array(text, { minLength: 30, maxLength: 60 }), async (texts) => {
        const [request = '', ...answers] = texts;
        const row = {
          ...template,
          current_request: request,
          current_checklist: answers,
          prior_interactions: answers.map((answer) => ({
            context_factor: answer,
            contextual_preference: request,
            dialogue: [
              { role: 'user', content: answer },
              { role: 'assistant', content: request },
            ],
          })),
        };
        const [source, between, out] = [`${newFolder()}.jsonl`, newFolder(), newFolder()];
        writeFileSync(source, JSON.stringify(row));
        await exportData(source, { format: 'reference', outputDir: between }, AROUND);
        await importData(between, { outputDir: out, license: 'cc-by-4.0' });
        expect(await collect(readInstances(await openData(out, AROUND)))).toEqual([row]);
      }),
      { numRuns: 3 },
    );
  });

  test('simulated data stay known to be simulated', async () => {
    const [source, between, out] = [join(folder, 'simulated'), newFolder(), newFolder()];
    await writeRun(source, records.slice(0, 2));
    for (const dataSet of ['CUPID-Raw', 'CUPID-Unverified']) {
      writeFileSync(join(source, dataSet, 'README.md'), '**Simulated data: by rule.**\n');
    }
    await exportData(source, { format: 'reference', outputDir: between }, AROUND);
    await importData(between, { outputDir: out, license: 'cc-by-4.0' });
    for (const dataSet of ['CUPID-Raw', 'CUPID-Unverified']) {
      expect(await findCard(join(out, dataSet))).toMatchObject({ simulated: true, ours: false });
    }
  });
});

async function exported(rows: readonly PersonaRecord[]): Promise<unknown> {
  const [source, out] = [`${newFolder()}.jsonl`, newFolder()];
  await writeJsonLines<PersonaRecord>(source, RECORD_COLUMNS, rows);
  return exportData(source, { format: 'reference', outputDir: out }, AROUND);
}

describe('what the layout cannot hold is refused by name', () => {
  const [record] = records;
  if (record === undefined) throw new Error('There is no record.');

  test('a persona that is not named by its number and occupation', async () => {
    await expect(exported([{ ...record, persona_id: '7+pilot' }])).rejects.toThrow(
      `Persona "7+pilot" cannot be written in the reference program's layout, which names a persona by its number and occupation: here "${record.persona_id}"`,
    );
  });

  test('two personas whose files would have one name', async () => {
    const upper = { ...record, persona_id: record.persona_id.toUpperCase() };
    await expect(exported([record, upper])).rejects.toThrow('Give one of them another persona_id');
  });

  test('a name that leads out of the folder, or is too long for a file', async () => {
    const [instance] = instances;
    for (const id of ['../../etc', 'x'.repeat(300), 'nul\u0000', '.hidden']) {
      const source = `${newFolder()}.jsonl`;
      writeFileSync(source, JSON.stringify({ ...instance, persona_id: id }));
      const made = exportData(source, { format: 'reference', outputDir: newFolder() }, AROUND);
      await expect(made).rejects.toThrow('A file cannot be named');
    }
  });
});

test('rows go by the persona’s number, then its name, then the type, whatever the order of the files', () => {
  const names = [
    '2+a+consistent',
    '10+a+consistent',
    '10+a+contrastive',
    '10+a+changing',
    '10+b+consistent',
    '10+b+unknown',
    'no number+changing',
  ];
  expect(names.toReversed().toSorted(compareNames)).toEqual(names);
  expect(names.toSorted().toSorted(compareNames)).toEqual(names);
});
