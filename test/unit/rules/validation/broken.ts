import type { FileFinding } from '../../../../rules/validation/finding';
import { InstanceStructure } from '../../../../rules/validation/instances/structure';
import { RecordStructure } from '../../../../rules/validation/records/structure';
import type { Instance } from '../../../../schemas/dataset/instance';
import type { InstanceType } from '../../../../schemas/dataset/instance-type';
import type { RecordForm } from '../../../../schemas/dataset/record';

/** Returns the findings in these rows, numbered from 1. */
export function listInstanceFindings(instances: readonly Instance[], priorCount?: number): FileFinding[] {
  const structure = new InstanceStructure(priorCount);
  for (const [index, instance] of instances.entries()) structure.add(instance, index + 1);
  return structure.end();
}

/** Returns the findings in these records, numbered from 1. */
export function listRecordFindings(records: readonly RecordForm[]): FileFinding[] {
  const structure = new RecordStructure();
  for (const [index, record] of records.entries()) structure.add(record, index + 1);
  return structure.end();
}

/** Returns the row of a persona's instance, which is there. */
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

/** Changes values of an object that is there. */
export function change<T extends object>(target: T | undefined, values: Partial<T>): void {
  Object.assign(requirePresent(target), values);
}
