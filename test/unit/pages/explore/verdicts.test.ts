import { join } from 'node:path';
import { VERIFICATION_COLUMNS } from '../../../../data/tables/columns';
import { writeParquet } from '../../../../data/tables/parquet';
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
  current_preference: 'Brief answers.',
  other_preference: null,
  contradiction: null,
  unknown_causes: [],
  verifier: 'openai:gpt-6.1-terra',
  answered_by: [],
  simulated: false,
};

test('verdicts that come later, or again, are read then', async () => {
  const path = join(folder, 'verification.parquet');
  const key = buildInstanceKey(ROW);
  const verdicts = new Verdicts(path);
  expect(await verdicts.refresh()).toBe(false);
  expect([verdicts.version, verdicts.get(key)]).toEqual([0, undefined]);

  await writeParquet(path, VERIFICATION_COLUMNS, [ROW]);
  expect(await verdicts.refresh()).toBe(true);
  expect(await verdicts.refresh()).toBe(false);
  expect(verdicts.get(key)).toMatchObject({ accepted: true });

  const other = { ...ROW, persona_id: '2+cook' };
  await writeParquet(path, VERIFICATION_COLUMNS, [other, { ...ROW, accepted: false, solvable: 'no' }]);
  expect(await verdicts.refresh()).toBe(true);
  expect([verdicts.version, verdicts.get(key)?.accepted]).toEqual([2, false]);
  expect(await verdicts.readRow(key)).toMatchObject({ persona_id: '1+nurse', solvable: 'no' });
});
