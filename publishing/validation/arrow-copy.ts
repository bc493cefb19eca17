import { dirname, join } from 'node:path';
import type { DataSet } from '../../data/sets/data-set';
import { DataError } from '../../data/store/data-error';
import { openData, type OpenOptions } from '../../data/sets/open';
import { readInstances } from '../../data/sets/read';
import type { KnownInstances } from './agreement';
import type { Problem } from './findings';
import { hasFile } from '../../data/folders/folder';

/** Finds the Arrow IPC copy of a run's instances, beside their Parquet. Returns undefined when there is none. */
export async function findArrowCopy({ files: [file] }: DataSet): Promise<string | undefined> {
  if (file === undefined) return undefined;
  const path = join(dirname(file.path), 'test.arrow');
  return path !== file.path && (await hasFile(path)) ? path : undefined;
}

/**
 * Lists the problems of a copy whose rows differ from the data set's.
 * @param index of all rows of the data set, with what they hold
 * @param unsound personas with an instance that could not be read
 */
export async function validateArrowCopy(
  path: string,
  { index, unsound }: { readonly index: KnownInstances; readonly unsound: ReadonlySet<string> },
  options: OpenOptions,
): Promise<Problem[]> {
  const problems: Problem[] = [];
  let row = 0;
  try {
    for await (const instance of readInstances(await openData(path, options))) {
      row += 1;
      const { persona_id: persona, instance_type: type } = instance;
      if (unsound.has(persona)) continue;
      const fields = index.differences(instance) ?? ['persona_id'];
      if (fields.length === 0) continue;
      const [field = 'persona_id'] = fields;
      const place = { row, persona_id: persona, instance_type: type, field };
      problems.push({ rule: RULE, ...place, message: `differs from test.parquet. ${REMEDY}` });
    }
  } catch (error) {
    if (!(error instanceof DataError)) throw error;
    return [{ rule: RULE, message: `does not contain instances: ${error.message} ${REMEDY}` }];
  }
  if (row !== index.places.size && unsound.size === 0) {
    problems.push({ rule: RULE, message: `expected ${index.places.size} rows, found ${row}. ${REMEDY}` });
  }
  return problems;
}

const RULE = 'arrow-copy';

const REMEDY = 'Move it away and repeat the cupid synth command of the run, which writes it again.';
