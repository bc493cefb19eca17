import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { withFiles } from '../../../data/card/dataset-info';
import { withCanary } from '../../../data/card/edit';
import { INSTANCE_COLUMNS, RECORD_COLUMNS } from '../../../data/tables/columns';
import { writeParquet } from '../../../data/tables/parquet';
import { splitInstances } from '../../../rules/instances/split';
import { buildPersonaId } from '../../../rules/instances/persona-id';
import type { Instance } from '../../../schemas/dataset/instance';
import type { PersonaRecord } from '../../../schemas/dataset/record';
import { pickCyclic } from '../rules/examples';
import { CANARY, SEED, buildSoundRecords } from './sound-data';

const TEXTS = [
  'Zürich, Ελλάδα, 東京, العربية; e\u0301 is not \u00e9',
  '😀 👩‍👩‍👧‍👦 \u{10ffff}',
  'two\nlines\r\nand a\ttab',
  'quotes " \' ` and a back\\slash, {braces}, 50 %, /',
  '\u0000 and \u0007 and \u001b and \u007f and \u0080 and \ufeff and \u2028 stay',
  'null',
  ' blanks around ',
];

/** Builds records like those of a run, with texts and forms that a conversion of files could change. */
export function buildEdgeRecords(count: number): PersonaRecord[] {
  return buildSoundRecords(count).map((record, number) => {
    const occupation = pickCyclic(
      ['Bäcker / Ingénieur', 'Head  of R&D', '研究者', 'Baker: "the" 1st'],
      number,
    );
    return {
      ...record,
      persona_id: buildPersonaId(record.persona.id, occupation),
      persona: { ...record.persona, occupation, seed: pickCyclic(TEXTS, number) },
      interactions: record.interactions.map(({ chat, ...interaction }, index) => {
        const [opening = { role: 'user', content: '' }] = chat;
        const answer = { role: 'assistant' as const, content: pickCyclic(TEXTS, number + index) };
        // A dialogue that reached the turn limit ends with the assistant.
        return index % 3 === 1
          ? { ...interaction, chat: [opening, answer], is_satisfied: false }
          : { ...interaction, chat: [opening, answer, { role: 'user', content: 'Good.' }] };
      }),
    };
  });
}

export function buildEdgeInstances(count: number): Instance[] {
  return instancesOf(buildEdgeRecords(count));
}

/** Writes a run's two data sets with their cards, and the required parts of its folder. */
export async function writeRun(folder: string, records: readonly PersonaRecord[]): Promise<string> {
  const [raw, unverified] = [join(folder, 'CUPID-Raw'), join(folder, 'CUPID-Unverified')];
  const file = 'test.parquet';
  for (const one of [raw, unverified]) mkdirSync(one, { recursive: true });
  const marks = { canary: CANARY };
  const written = await writeParquet(join(raw, file), RECORD_COLUMNS, records, marks);
  const cut = await writeParquet(join(unverified, file), INSTANCE_COLUMNS, instancesOf(records), marks);
  const rawCard = withCanary('# Raw\n', CANARY);
  writeFileSync(join(raw, 'README.md'), withFiles(rawCard, RECORD_COLUMNS, { path: file, ...written }));
  const unverifiedCard = withCanary('# Unverified\n', CANARY);
  const card = withFiles(unverifiedCard, INSTANCE_COLUMNS, { path: file, ...cut });
  writeFileSync(join(unverified, 'README.md'), card);
  return folder;
}

function instancesOf(records: readonly PersonaRecord[]): Instance[] {
  return records.flatMap((record) => splitInstances(record, SEED).map(({ instance }) => instance));
}

/** Converts a data set's rows to those of a table: an absent resource is null. */
export function convertToTable(records: readonly PersonaRecord[]) {
  return records.map((record) => ({
    ...record,
    sessions: record.sessions.map((session) => ({ resource: null, ...session })),
  }));
}

/** Further options of export and import. */
export const AROUND = { environment: {}, report: () => undefined };
