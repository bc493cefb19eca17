import { join } from 'node:path';
import { VERIFICATION_COLUMNS } from '../../../../data/tables/columns';
import { writeParquet } from '../../../../data/tables/parquet';
import { SnapshotFiles } from '../../../../pages/explore/snapshot-files';
import { Verdicts } from '../../../../pages/explore/verdicts';
import { buildInstanceKey } from '../../../../schemas/dataset/instance-type';
import type { VerificationRow } from '../../../../schemas/verification/verification';
import { createTemporaryFolder } from '../../../temporary-folder';

const folder = createTemporaryFolder();

const ROW: VerificationRow = {
  persona_id: '1+nurse',
  instance_type: 'consistent',
  accepted: true,
  solvable: 'yes',
  challenging: 'yes',
  contrasting: null,
  solvable_again: null,
  challenging_again: null,
  contrasting_again: null,
  items: [],
  current_request: 'Help me with the rota.',
  guess: null,
  current_checklist: ['Is the answer brief?'],
  guess_labels: null,
  current_contextual_preference: 'Brief answers.',
  other_preference: null,
  contradiction: null,
  unknown_causes: [],
  verifier: 'openai:gpt-6.1-terra',
  answered_by: [],
  simulated: false,
};

test('verdicts are read once, and none of a file that replaced it', async () => {
  const path = join(folder, 'verification.parquet');
  const key = buildInstanceKey(ROW);
  const absent = new Verdicts(path, new SnapshotFiles());
  await absent.read();
  expect([absent.isEmpty, absent.get(key), absent.origin]).toEqual([true, undefined, undefined]);

  await writeParquet(path, VERIFICATION_COLUMNS, [ROW]);
  const files = new SnapshotFiles();
  await files.watchFile(path, folder);
  const verdicts = new Verdicts(path, files);
  await verdicts.read();
  expect(await verdicts.readRow(key)).toMatchObject({ persona_id: '1+nurse', solvable: 'yes' });

  const other = { ...ROW, persona_id: '2+cook' };
  await writeParquet(path, VERIFICATION_COLUMNS, [other, { ...ROW, accepted: false, solvable: 'no' }]);
  expect(verdicts.get(key)).toMatchObject({ accepted: true });
  await expect(verdicts.readRow(key)).rejects.toThrow('verification.parquet has changed');
});
