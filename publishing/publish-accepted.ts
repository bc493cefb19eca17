import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { useTemporaryDirectory } from '../data/store/directories';
import type { Publication } from '../schemas/dataset/publication';
import { quotePath } from '../schemas/text/shell-text';
import { exportData } from './export';
import { PublishError } from './publication/error';
import { publishData, UnsoundData, type PublicationRequest, type PublishSurroundings } from './publish';

/**
 * Publishes the instances of a data set that a verification accepted, as `cupid export --verified` writes them.
 * @param verified the verification's folder, or true for the one in the run's folder
 * @throws DataError when there is no verification of these data; and what `publishData` throws
 */
export async function publishAccepted(
  request: PublicationRequest,
  verified: string | true,
  surroundings: PublishSurroundings,
): Promise<Publication> {
  const { environment, report, signal } = surroundings;
  return useTemporaryDirectory(tmpdir(), 'cupid-accepted-', async (scratch) => {
    const outputDir = join(scratch, 'accepted');
    const { notes } = await exportData(
      request.data,
      { format: 'parquet', outputDir, verified },
      { environment, report, ...(signal === undefined ? {} : { signal }) },
    );
    for (const note of notes) report(note);
    return publishData({ ...request, data: outputDir }, surroundings).catch((error: unknown) => {
      if (!(error instanceof UnsoundData)) throw error;
      throw new PublishError(
        `The accepted instances of ${request.data} have errors and were not published. Look at the errors: cupid export ${quotePath(request.data)} --verified --output-dir DIR, then cupid validate DIR`,
        { again: false },
      );
    });
  });
}
