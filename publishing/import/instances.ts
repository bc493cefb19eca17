import { join } from 'node:path';
import { DataError } from '../../data/store/data-error';
import { buildInstanceKey } from '../../schemas/dataset/instance-type';
import { instanceFormSchema, type InstanceForm } from '../../schemas/dataset/instance';
import { LAYOUT } from '../reference-layout';
import { readJsonFile, type OtherKeys } from './json-file';
import type { ImportLayout } from './layout';

/**
 * Reads the instances of a folder in the reference program's layout, by persona and type, one in memory at a time.
 * @throws DataError for a file that is not in the form, and for two of one persona and type
 */
export async function* readInstanceFiles(
  { folder, instances }: ImportLayout,
  otherKeys: OtherKeys,
): AsyncGenerator<InstanceForm> {
  const files = new Map<string, string>();
  for (const name of instances) {
    const file = join(folder, LAYOUT.instances, `${name}.json`);
    const instance = await readJsonFile(file, folder, instanceFormSchema, otherKeys);
    const key = buildInstanceKey(instance);
    const earlier = files.get(key);
    if (earlier !== undefined) {
      throw new DataError(
        `${file} has the persona_id and instance_type of ${earlier}.json. They are the key of a row. Remove one of the files.`,
      );
    }
    files.set(key, name);
    yield instance;
  }
}
