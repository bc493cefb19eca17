import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { requireVerification } from '../../../../data/sets/verification';
import { createTemporaryFolder } from '../../../temporary-folder';
import { buildVerificationResults } from '../../verification-results';

const folder = createTemporaryFolder();

test('a verification of other data is named with them, and data that changed are named once', async () => {
  writeFileSync(join(folder, 'verification.json'), JSON.stringify(buildVerificationResults()));
  const source = 'out/test.parquet';
  const data = { argument: 'out', source, files: [], sha256: 'changed', simulated: false, canary: undefined };
  await expect(requireVerification(folder, data)).rejects.toThrow(
    `${folder} is the verification of an earlier state of ${source}. Verify this data: cupid verify out `,
  );
  await expect(requireVerification(folder, { ...data, source: 'other.parquet' })).rejects.toThrow(
    `${folder} is the verification of other data: of ${source}, not of other.parquet. Verify this data`,
  );
});
