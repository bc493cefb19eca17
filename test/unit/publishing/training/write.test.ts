import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { readCard } from '../../../../data/card/read';
import { DataError } from '../../../../data/store/data-error';
import { getSplit } from '../../../../data/sets/persona-split';
import { CHAT_COLUMNS } from '../../../../data/tables/columns';
import { CHATS } from '../../../../publishing/training/descriptions';
import { TrainingPersonas } from '../../../../publishing/training/personas';
import { writeTraining } from '../../../../publishing/training/write';
import type { ChatRow } from '../../../../schemas/training/training';
import { createEmptiedFolder } from '../../../temporary-folder';

const folder = createEmptiedFolder();

/** Writes a row of each persona. */
async function write(ids: readonly string[]) {
  const personas = new TrainingPersonas();
  const data = {
    source: 'out',
    simulated: false,
    columns: CHAT_COLUMNS,
    description: CHATS,
    personas,
    facts: ['A fact.'],
    remedy: 'Use data with more personas.',
    card: '---\nlicense: other\nlicense_name: Mine\nlicense_link: LICENSE\n---\n',
    async *rows(split: string): AsyncGenerator<ChatRow> {
      for (const persona_id of ids) {
        const row = { kind: 'assistant' as const, persona_id, session: 1, instance_type: null, messages: [] };
        if (personas.place(persona_id) === split) yield row;
      }
    },
  };
  return writeTraining(data, folder, 1_000_000, {});
}

test('a split without rows has no files, and the card names none; it has the license of the data set', async () => {
  const ids = ['1+teacher', '2+real_estate_developer', '3+nurse'];
  expect(ids.map(getSplit)).toEqual(['train', 'validation', 'test']);
  const { samples, notes } = await write(ids);
  expect(samples).toBe(1);
  expect(readdirSync(join(folder, 'data'))).toEqual(['validation-00000-of-00001.parquet']);
  const text = readFileSync(join(folder, 'README.md'), 'utf8');
  expect(readCard(text)).toMatchObject({ files: ['data/validation-*'], license: 'other' });
  expect(text).toContain('license_name: Mine\n');
  expect(text).toContain('This data set has its own license');
  for (const fact of ['A fact.', ...notes]) expect(text).toContain(`- ${fact}\n`);
});

test('data without rows are refused', async () => {
  await expect(write(['1+teacher', '3+nurse'])).rejects.toThrow(DataError);
  await expect(write(['1+teacher'])).rejects.toThrow(
    'out has no rows to train on. Personas: none. Left out: the first one',
  );
});
