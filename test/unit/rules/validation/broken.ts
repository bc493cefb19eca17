import { splitInstances } from '../../../../rules/instances/split';
import { buildOpeningMessage } from '../../../../rules/dialogue/messages';
import { drawStructure } from '../../../../rules/journey/structure';
import type { FileFinding } from '../../../../rules/validation/finding';
import { InstanceStructure } from '../../../../rules/validation/instances/structure';
import { RecordStructure } from '../../../../rules/validation/records/structure';
import type { Instance } from '../../../../schemas/dataset/instance';
import type { InstanceType } from '../../../../schemas/dataset/instance-type';
import type { RecordForm, PersonaRecord } from '../../../../schemas/dataset/record';
import { buildExampleRecord } from '../examples';

/** A record that obeys all rules: its dialogues open with what was sent, resource and all. */
export function buildSoundRecord(id: number, nSessions = 13): PersonaRecord {
  const record = buildExampleRecord(drawStructure({ nSessions, seed: 42, personaId: id }), id);
  return {
    ...record,
    interactions: record.interactions.map((interaction, index) => {
      const session = record.sessions[index];
      const [opening, ...rest] = interaction.chat;
      if (session === undefined || opening === undefined) throw new Error('An example lacks a session.');
      return {
        ...interaction,
        chat: [{ ...opening, content: buildOpeningMessage(session).trim() }, ...rest],
      };
    }),
  };
}

/** The instances of so many personas, three rows each: persona k's are rows 3k − 2 to 3k. */
export function buildSoundInstances(personas: number, nSessions = 13): Instance[] {
  return Array.from({ length: personas }, (_, index) => buildSoundRecord(index + 1, nSessions)).flatMap(
    (record) => splitInstances(record, 42).map(({ instance }) => structuredClone(instance)),
  );
}

/** What is found in these rows, numbered from 1. */
export function listInstanceFindings(instances: readonly Instance[], priorCount?: number): FileFinding[] {
  const structure = new InstanceStructure(priorCount);
  for (const [index, instance] of instances.entries()) structure.add(instance, index + 1);
  return structure.end();
}

/** What is found in these records, numbered from 1. */
export function listRecordFindings(records: readonly RecordForm[]): FileFinding[] {
  const structure = new RecordStructure();
  for (const [index, record] of records.entries()) structure.add(record, index + 1);
  return structure.end();
}

/** The row of a persona's instance; it is there. */
export function findRow(instances: readonly Instance[], persona: number, type: InstanceType): Instance {
  return requirePresent(
    instances.find(
      (instance) => instance.persona_id.startsWith(`${persona}+`) && instance.instance_type === type,
    ),
  );
}

export function requirePresent<T>(value: T | undefined): T {
  if (value === undefined) throw new Error('An example lacks what a test needs.');
  return value;
}

/** Gives something that is there other values. */
export function change<T extends object>(target: T | undefined, values: Partial<T>): void {
  Object.assign(requirePresent(target), values);
}
